// Asks the worker. Of questions with the same topic only the newest is worth an answer: an older one that has not been sent yet
// is dropped, and one whose answer comes too late is passed over.

export class Outdated extends Error {}

interface Question {
  topic: string;
  request: object;
  settle(answer: Record<string, unknown>): void;
  drop(): void;
}

export interface Channel {
  postMessage(message: { id: number; request: object }): void;
  onmessage: ((event: MessageEvent<{ id: number; answer: string }>) => void) | null;
}

export class Client {
  private waiting: Question[] = [];
  private sent: (Question & { id: number }) | undefined;
  private count = 0;

  constructor(private readonly channel: Channel) {
    channel.onmessage = (event) => this.answered(event.data);
  }

  /** Rejected with `Outdated` when another question of this topic follows, with an Error where the answer is one. */
  ask<Answer>(topic: string, request: object): Promise<Answer> {
    this.forget(topic);
    return new Promise((resolve, reject) => {
      this.waiting.push({
        topic,
        request,
        settle: (answer) => ("error" in answer ? reject(new Error(String(answer["error"]))) : resolve(answer as Answer)),
        drop: () => reject(new Outdated()),
      });
      this.send();
    });
  }

  /** What was asked about this topic no longer matters. */
  forget(topic: string): void {
    for (const old of this.waiting.filter((each) => each.topic === topic)) old.drop();
    this.waiting = this.waiting.filter((each) => each.topic !== topic);
    if (this.sent?.topic === topic) {
      this.sent.drop();
      this.sent.settle = () => {};
    }
  }

  private send(): void {
    if (this.sent !== undefined) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.sent = { ...next, id: ++this.count };
    this.channel.postMessage({ id: this.sent.id, request: next.request });
  }

  private answered({ id, answer }: { id: number; answer: string }): void {
    if (this.sent?.id !== id) return;
    const question = this.sent;
    this.sent = undefined;
    question.settle(JSON.parse(answer) as Record<string, unknown>);
    this.send();
  }
}
