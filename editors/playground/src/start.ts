// Runs before the page is there: the linter and the examples load while main.js is still on its way and being read. Whoever
// runs later finds them in `begun`.

export interface Begun {
  worker: Worker;
  examples: Promise<unknown>;
}

declare global {
  interface Window {
    begun?: Begun;
  }
}

window.begun = {
  worker: new Worker("worker.js", { type: "module" }),
  examples: fetch("examples.json").then((response) => response.json()),
};
