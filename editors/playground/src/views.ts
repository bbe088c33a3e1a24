// What the panels show of the answers.

import type { CheckAnswer, DiffAnswer, EstimateAnswer, Finding, FitAnswer, LadderStep, Place, Run, Verdict } from "./answers.ts";
import { element } from "./dom.ts";
import { bar, rows, stepCurve, verdictClass } from "./pictures.ts";
import { counted, duration, facts, gibibytes, gigabytes, rate } from "./words.ts";

export interface Actions {
  goTo(place: Place): void;
  apply(finding: Finding): void;
  explain(rule: string, into: HTMLElement): void;
}

export function runsOf(answer: EstimateAnswer): Run[] {
  return Array.isArray(answer.report) ? answer.report : [answer.report];
}

export function titleOf(run: Run): string {
  const target = [run.gpu, run.host].filter((each) => each !== null).join(", ");
  return `${run.path}${run.phase === null ? "" : ` (phase ${run.phase})`}${target === "" ? "" : ` on ${target}`}`;
}

function badge(verdict: Verdict): HTMLElement {
  return element("span", { class: `badge ${verdictClass(verdict)}` }, verdict);
}

function placeButton(place: Place, actions: Actions): HTMLElement {
  return element(
    "button",
    { type: "button", class: "place", click: () => actions.goTo(place) },
    `${place.path}:${place.line}:${place.column}`,
  );
}

function findingElement(finding: Finding, actions: Actions): HTMLElement {
  const { fix } = finding;
  const why = element("div", {});
  const applicable = fix !== null && fix.edits.length > 0 && fix.refusal === null;
  return element(
    "article",
    { class: `finding ${finding.severity}` },
    element(
      "h2",
      {},
      element("b", { class: finding.severity }, finding.severity),
      " ",
      element("code", {}, finding.rule),
      " ",
      placeButton(finding, actions),
    ),
    element("p", {}, finding.message),
    finding.arithmetic.length > 0 && element("ul", { class: "faint" }, ...finding.arithmetic.map((line) => element("li", {}, line))),
    finding.related.length > 0 &&
      element("ul", {}, ...finding.related.map((each) => element("li", {}, placeButton(each, actions), ` ${each.message}`))),
    fix !== null && fix.advice !== "" && element("p", {}, element("b", {}, "Fix: "), fix.advice),
    fix !== null && fix.refusal !== null && element("p", { class: "faint" }, `Not offered as an edit: ${fix.refusal}.`),
    element(
      "menu",
      {},
      applicable &&
        element(
          "button",
          { type: "button", click: () => actions.apply(finding) },
          fix.kind === "unsafe" ? "Apply (changes what is trained)" : "Apply fix",
        ),
      element("button", { type: "button", click: () => actions.explain(finding.rule, why) }, "Why?"),
    ),
    why,
  );
}

export function findingsView(answer: CheckAnswer, actions: Actions): HTMLElement {
  const { report, errors } = answer;
  const read = report.files.filter((file) => file.dialect !== null);
  const skipped = report.files.filter((file) => file.dialect === null && file.reason !== undefined);
  return element(
    "div",
    {},
    ...errors.map((error) => element("p", { class: "error", role: "alert" }, error)),
    report.findings.length === 0 &&
      element("p", {}, read.length === 0 ? "No file was recognised as a training config." : "No findings. Nothing in these files is known to go wrong."),
    ...report.findings.map((finding) => findingElement(finding, actions)),
    report.suppressed.length > 0 && element("p", { class: "faint" }, `${counted(report.suppressed.length, "finding")} hidden by comments.`),
    ...read.map((file) => element("p", { class: "faint" }, element("code", {}, file.path), ` is read as ${file.dialect}.`)),
    ...skipped.map((file) => element("p", { class: "faint" }, element("code", {}, file.path), ` is not linted: ${file.reason}.`)),
  );
}

function nothing(text: string): HTMLElement {
  return element("p", {}, text);
}

function memoryOf(run: Run, curve: EstimateAnswer["curves"][number]): HTMLElement {
  const { vram, ram } = run;
  return element(
    "section",
    {},
    element("h2", {}, titleOf(run)),
    vram === null
      ? nothing("What this run needs on the GPU is not known: no model is, or its size is not.")
      : element(
          "div",
          {},
          element(
            "p",
            {},
            vram.lower_bound_only || vram.needed === null
              ? element("span", {}, "needs at least ", element("b", {}, gibibytes(vram.needed_low)))
              : element(
                  "span",
                  {},
                  "needs ",
                  element("b", {}, gibibytes(vram.needed)),
                  ` (${gibibytes(vram.needed_low)} to ${vram.needed_high === null ? "an unknown amount" : gibibytes(vram.needed_high)})`,
                ),
            vram.usable === null ? "" : ` of ${gibibytes(vram.usable)} `,
            badge(vram.verdict),
            vram.central === null ? "" : `; with cached blocks ${gibibytes(vram.central)}, highest in ${vram.phase}`,
          ),
          bar({
            label: `GPU memory of ${run.path} at its peak`,
            parts: vram.terms.map((term) => ({ name: term.name, amount: term.bytes, note: term.arithmetic })),
            limit: vram.usable === null ? undefined : { amount: vram.usable, label: `${run.gpu ?? "usable"} ${gibibytes(vram.usable)}` },
            spread: vram.high === null ? undefined : { low: vram.low, high: vram.high },
            words: gibibytes,
          }),
          vram.phases.length > 0 && element("h3", {}, "By phase"),
          vram.phases.length > 0 &&
            rows(
              vram.phases.map((phase) => ({ name: phase.name, amount: phase.bytes })),
              vram.usable ?? undefined,
              gibibytes,
            ),
          curve !== null && curve !== undefined && curve.length > 1 && element("h3", {}, "Over one step"),
          curve !== null && curve !== undefined && curve.length > 1 && stepCurve(curve, run, gibibytes),
          element("p", { class: "faint" }, vram.explanation),
        ),
    ram !== null &&
      element(
        "div",
        {},
        element("h3", {}, "Host RAM"),
        element(
          "p",
          {},
          "needs ",
          element("b", {}, gigabytes(ram.needed)),
          ram.available === null ? " " : ` of ${gigabytes(ram.available)} `,
          badge(ram.verdict),
        ),
        bar({
          label: `host RAM of ${run.path}`,
          parts: ram.terms.map((term) => ({ name: term.name, amount: term.bytes, note: term.arithmetic })),
          limit: ram.available === null ? undefined : { amount: ram.available, label: gigabytes(ram.available) },
          words: gigabytes,
        }),
        ram.shm !== null &&
          element(
            "p",
            {},
            "/dev/shm: ",
            element("b", {}, gigabytes(ram.shm.needed)),
            ram.shm.available === null ? " " : ` of ${gigabytes(ram.shm.available)} `,
            badge(ram.shm.verdict),
          ),
      ),
  );
}

export function memoryView(answer: EstimateAnswer): HTMLElement {
  const runs = runsOf(answer);
  if (runs.length === 0) return nothing("No file describes a training run.");
  return element("div", {}, ...runs.map((run, index) => memoryOf(run, answer.curves[index] ?? null)));
}

function timeOf(run: Run): HTMLElement {
  const time = run.step_time;
  const amounts: [string, string][] = [];
  if (run.throughput !== null) amounts.push(["throughput", rate(run.throughput.central)]);
  if (run.epoch_time !== null) amounts.push(["an epoch", duration(run.epoch_time.central)]);
  if (run.run_time !== null) amounts.push(["the run", duration(run.run_time.central)]);
  if (run.cost !== null) amounts.push(["cost", `$${run.cost.central.toFixed(2)}`]);
  return element(
    "section",
    {},
    element("h2", {}, titleOf(run)),
    time === null
      ? nothing("The time of a step is not known: it takes a known model, the size of its input and a GPU.")
      : element(
          "div",
          {},
          element(
            "p",
            {},
            "a step takes ",
            element("b", {}, duration(time.central)),
            ` (${duration(time.low)} to ${duration(time.high)}), held up by ${time.bottleneck}`,
          ),
          bar({
            label: `time of a step of ${run.path}`,
            parts: time.terms.map((term) => ({ name: term.name, amount: term.seconds, note: term.arithmetic })),
            words: duration,
          }),
          element("p", { class: "faint" }, time.explanation),
        ),
    amounts.length > 0 && element("ul", {}, ...amounts.map(([name, text]) => element("li", {}, `${name}: `, element("b", {}, text)))),
    time !== null &&
      time.costliest_operators.length > 0 &&
      element(
        "div",
        {},
        element("h3", {}, "Operators that cost most"),
        element(
          "ul",
          {},
          ...time.costliest_operators.map((each) =>
            element("li", {}, element("b", {}, duration(each.seconds)), ` ${each.count} × `, element("code", {}, each.name)),
          ),
        ),
      ),
    run.unknown.length > 0 && element("p", { class: "faint" }, `Not known: ${run.unknown.join(", ")}.`),
  );
}

export function timeView(answer: EstimateAnswer): HTMLElement {
  const runs = runsOf(answer);
  if (runs.length === 0) return nothing("No file describes a training run.");
  return element("div", {}, ...runs.map(timeOf));
}

function ladder(title: string, steps: LadderStep[], words: (step: LadderStep) => string): HTMLElement | null {
  if (steps.length === 0) return null;
  return element(
    "div",
    {},
    element("h3", {}, title),
    element(
      "ol",
      {},
      ...steps.map((step) => element("li", {}, element("code", {}, facts(step.change)), ` ${words(step)} `, badge(step.verdict))),
    ),
  );
}

/** `chosen`: of one GPU, with settings and ladders; `all`: one line for each. */
export function fitView(chosen: FitAnswer | undefined, all: FitAnswer, gpu: string | null): HTMLElement {
  const row = chosen?.report.rows[0];
  const time = (step: LadderStep): string => (step.time_factor === null ? "" : `, ${step.time_factor.toFixed(2)} × the time`);
  const cell = (value: number | null): string => (value === null ? "–" : String(value));
  return element(
    "div",
    {},
    row !== undefined &&
      element(
        "section",
        {},
        element("h2", {}, `${all.report.path} on ${row.gpu}`),
        row.largest_per_device_batch_size !== null &&
          element(
            "p",
            {},
            "fits up to a batch of ",
            element("b", {}, row.largest_per_device_batch_size),
            " per device",
            row.batch_size_that_pays === null ? "" : `; beyond ${row.batch_size_that_pays} a larger one gains little speed`,
            row.longest_sequence_length === null ? "" : `; at the stated batch up to ${row.longest_sequence_length} tokens`,
          ),
        Object.keys(row.settings).length > 0 && element("h3", {}, "Settings"),
        element(
          "ul",
          {},
          ...Object.entries(row.settings).map(([name, change]) => element("li", {}, `${name}: `, element("code", {}, facts(change)))),
        ),
        ladder("To need less GPU memory", row.ladder, (step) => `${step.vram_central === null ? "" : gibibytes(step.vram_central)}${time(step)}`),
        ladder("To need less host RAM", row.ram_ladder, (step) => `${step.ram_central === null ? "" : gigabytes(step.ram_central)}${time(step)}`),
        ladder("To load faster", row.loading_ladder, time),
      ),
    element("h2", {}, "Every GPU"),
    element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "what fits on every GPU" },
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...["GPU", "as it is", "largest batch", "pays up to", "usable", "throughput"].map((name) => element("th", { scope: "col" }, name)),
          ),
        ),
        element(
          "tbody",
          {},
          ...all.report.rows.map((each) =>
            element(
              "tr",
              { class: each.gpu === gpu ? "chosen" : undefined },
              element("th", { scope: "row" }, each.gpu),
              element("td", { class: verdictClass(each.verdict) }, each.verdict),
              element("td", {}, cell(each.largest_per_device_batch_size)),
              element("td", {}, cell(each.batch_size_that_pays)),
              element("td", {}, each.vram?.usable === null || each.vram === null ? "–" : gibibytes(each.vram.usable)),
              element("td", {}, each.throughput === null ? "–" : rate(each.throughput.central)),
            ),
          ),
        ),
      ),
    ),
    all.report.unknown.length > 0 && element("p", { class: "faint" }, `Not known: ${all.report.unknown.join(", ")}.`),
  );
}

export function diffView(answer: DiffAnswer): HTMLElement {
  const { report, configs } = answer;
  const list = (title: string, findings: DiffAnswer["report"]["findings"]): HTMLElement | null =>
    findings.length === 0
      ? null
      : element(
          "div",
          {},
          element("h3", {}, title),
          element(
            "ul",
            {},
            ...findings.map((each) => element("li", {}, element("b", {}, each.severity), " ", element("code", {}, each.rule), ` ${each.message}`)),
          ),
        );
  return element(
    "div",
    { class: "diff" },
    configs.length === 0 && nothing("Nothing differs. “Compare from here” keeps the files as they are now as the version to compare with."),
    ...configs.map((config) =>
      element(
        "section",
        {},
        element("h2", {}, config.title),
        element(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": `what changes in ${config.title}` },
          element(
            "table",
            {},
            element("thead", {}, element("tr", {}, ...["", "before", "after", "change"].map((name) => (name === "" ? element("td") : element("th", { scope: "col" }, name))))),
            element(
              "tbody",
              {},
              ...config.rows.map((row) =>
                element(
                  "tr",
                  {},
                  element("th", { scope: "row" }, row.name),
                  element("td", {}, row.before),
                  element("td", {}, row.after),
                  element("td", {}, element("b", {}, row.change)),
                ),
              ),
            ),
          ),
        ),
        config.unknown !== "" && element("p", { class: "faint" }, config.unknown),
      ),
    ),
    list("New findings", report.findings.filter((each) => each.new)),
    list("Findings that stay", report.findings.filter((each) => !each.new)),
    list("Findings that are gone", report.fixed),
  );
}
