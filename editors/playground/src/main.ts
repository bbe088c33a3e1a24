// The page: files on one side, what gpulint says of them on the other.

import type { CatalogueAnswer, CheckAnswer, DiffAnswer, EstimateAnswer, Finding, FitAnswer, PageFile, Place, Run } from "./answers.ts";
import { Client, Outdated, type Channel } from "./client.ts";
import { byId, element, fillTabs } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { drawFor, verdictClass } from "./pictures.ts";
import { Project } from "./project.ts";
import { fromFragment, toFragment } from "./share.ts";
import type { Begun } from "./start.ts";
import { diffView, findingsView, fitView, memoryView, runsOf, timeView } from "./views.ts";
import { counted, gibibytes, gigabytes } from "./words.ts";

interface Version {
  title: string;
  files: PageFile[];
  gpu: string;
}
interface Example {
  title: string;
  versions: Version[];
}

type View = "findings" | "memory" | "time" | "fit" | "diff";
const views: { id: View; label: string }[] = [
  { id: "findings", label: "Findings" },
  { id: "memory", label: "Memory" },
  { id: "time", label: "Time" },
  { id: "fit", label: "Fit" },
  { id: "diff", label: "Diff" },
];

const begun = window.begun as Begun;  // start.js ran before
const client = new Client(begun.worker as Channel);
const project = new Project();
const panel = byId("panel");
const verdict = byId("verdict");
let examples: Example[] = [];
let view: View = "findings";
let checked: CheckAnswer | undefined;
let estimated: EstimateAnswer | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;
let kept = false;
let editor: Editor | undefined;
let editorAsked = false;

const actions = { goTo, apply: applyFix, explain };

function typed(text: string): void {
  project.setText(project.active, text);
  clearTimeout(pause);
  pause = setTimeout(() => void judge(), 120);
}

function goTo(place: Place): void {
  if (project.text(place.path) === undefined) return;
  if (place.path !== project.active) {
    project.active = place.path;
    showFiles();
  }
  editor?.goTo(place.line, place.column);
}

function applyFix(finding: Finding): void {
  project.apply(finding);
  editor?.replace(project.text(project.active) ?? "");
  void judge();
}

async function explain(rule: string, into: HTMLElement): Promise<void> {
  if (into.childElementCount > 0) return into.replaceChildren();
  const { text } = await client.ask<{ text: string }>(`explain ${rule}`, { ask: "explain", rule });
  into.replaceChildren(element("pre", { tabindex: 0, role: "region", "aria-label": `the rule ${rule}` }, text));
}

function showFiles(): void {
  const tabs = project.files.map((file) => ({
    id: file.path,
    label: file.path,
    count: checked?.report.findings.filter((finding) => finding.path === file.path).length,
  }));
  fillTabs(byId("files"), tabs, project.active, "editor", (path) => {
    project.active = path;
    showFiles();
  });
  editor?.show(project.active, project.text(project.active) ?? "");
  editor?.mark(checked?.report.findings.filter((finding) => finding.path === project.active) ?? []);
  byId<HTMLButtonElement>("remove").disabled = project.files.length < 2;
}

function showViews(): void {
  const counts: Partial<Record<View, number>> = { findings: checked?.report.findings.length ?? 0 };
  fillTabs(
    byId("views"),
    views.map((each) => ({ ...each, count: counts[each.id] })),
    view,
    "panel",
    (id) => {
      view = id as View;
      showViews();
      void showPanel();
    },
  );
}

/** What a run needs and whether there is as much, in one line. */
function inWords(run: Run): string {
  const parts: string[] = [];
  if (run.vram !== null && run.gpu !== null && run.vram.usable !== null) {
    const needs = run.vram.needed === null ? `at least ${gibibytes(run.vram.needed_low)}` : gibibytes(run.vram.needed);
    parts.push(`needs ${needs} of ${gibibytes(run.vram.usable)} on ${run.gpu}: ${run.vram.verdict}`);
  } else if (run.vram !== null) {
    parts.push(`needs ${run.vram.needed === null ? "at least " + gibibytes(run.vram.needed_low) : gibibytes(run.vram.needed)}; choose a GPU to compare`);
  }
  if (run.ram?.verdict === "does not fit") parts.push(`host RAM ${gigabytes(run.ram.needed)} does not fit`);
  return parts.join("; ");
}

function showVerdict(): void {
  if (checked === undefined) return;
  const { errors, warnings, notes } = checked.report.summary;
  const parts = [counted(errors, "error"), counted(warnings, "warning"), counted(notes, "note")].join(", ");
  const run = estimated === undefined ? undefined : runsOf(estimated)[0];
  const said = run === undefined ? "" : inWords(run);
  verdict.textContent = said === "" ? parts : `${said} · ${parts}`;
  const fits = [run?.vram?.usable == null ? undefined : run.vram.verdict, run?.ram?.verdict];
  verdict.className = "";
  for (const each of ["does not fit", "thin", "fits"] as const) {
    if (fits.includes(each)) {
      verdict.className = verdictClass(each);
      break;
    }
  }
}

/** Fills the panel; the time that takes differs from view to view. */
async function showPanel(): Promise<void> {
  const shown = view;
  drawFor(panel.clientWidth);
  const fill = (content: HTMLElement): void => {
    if (view === shown) panel.replaceChildren(content);
    panel.removeAttribute("aria-busy");
  };
  try {
    if (view === "findings" && checked !== undefined) fill(findingsView(checked, actions));
    if (view === "memory" && estimated !== undefined) fill(memoryView(estimated));
    if (view === "time" && estimated !== undefined) fill(timeView(estimated));
    if (view === "diff") {
      fill(diffView(await client.ask<DiffAnswer>("panel", { ...project.request(), ask: "diff", before: project.before })));
    }
    if (view === "fit") {
      panel.setAttribute("aria-busy", "true");
      const gpu = (estimated === undefined ? undefined : runsOf(estimated)[0]?.gpu) ?? null;
      const request = { ...project.request(), ask: "fit" };
      const chosen = gpu === null ? undefined : await client.ask<FitAnswer>("panel", { ...request, gpus: [gpu] });
      fill(fitView(chosen, await client.ask<FitAnswer>("panel", request), gpu));
    }
  } catch (error) {
    if (error instanceof Outdated) return;
    fill(element("p", {}, error instanceof Error ? error.message : String(error)));
  }
}

async function judge(): Promise<void> {
  clearTimeout(pause);
  client.forget("panel");
  try {
    checked = await client.ask<CheckAnswer>("check", { ...project.request(), ask: "check" });
    showFiles();
    showViews();
    showVerdict();
    if (view === "findings") await showPanel();
    try {
      estimated = await client.ask<EstimateAnswer>("estimate", { ...project.request(), ask: "estimate" });
    } catch (error) {
      if (error instanceof Outdated) throw error;
      estimated = undefined;
    }
    showVerdict();
    document.body.dataset["judged"] = "yes";
    void openEditor();
    keepForOffline();
    if (view !== "findings") await showPanel();
  } catch (error) {
    if (error instanceof Outdated) return;
    verdict.className = "over";
    verdict.textContent = error instanceof Error ? error.message : String(error);
    void openEditor();
  }
}

/** The editor is most of the page's code: it is loaded when the first verdict is there. */
async function openEditor(): Promise<void> {
  if (editorAsked) return;
  editorAsked = true;
  const loaded = await import("./editor.ts");
  editor = new loaded.Editor(byId("editor"), { changed: typed, apply: applyFix });
  showFiles();
  document.body.dataset["editable"] = "yes";
}

function select(id: string): HTMLSelectElement {
  return byId<HTMLSelectElement>(id);
}

/** Shows a project that came from outside: an example or an address. */
function open(): void {
  checked = undefined;
  estimated = undefined;
  editor?.forget();
  select("gpu").value = project.gpu;
  select("host").value = project.host;
  showFiles();
  showViews();
  void judge();
}

function openExample(example: Example, version: Version): void {
  const first = example.versions[0] ?? version;
  project.load({ files: version.files, gpu: version.gpu, host: "", before: first.files });
  select("version").replaceChildren(...example.versions.map((each, index) => element("option", { value: index }, each.title)));
  select("version").value = String(example.versions.indexOf(version));
  open();
}

function chooseExample(): void {
  const example = examples[Number(select("example").value)];
  if (example?.versions[0] !== undefined) openExample(example, example.versions[0]);
}

function chooseVersion(): void {
  const example = examples[Number(select("example").value)];
  const version = example?.versions[Number(select("version").value)];
  if (example !== undefined && version !== undefined) openExample(example, version);
}

function askName(title: string, name: string, use: (path: string) => void): void {
  const dialog = byId<HTMLDialogElement>("naming");
  const input = byId<HTMLInputElement>("name");
  const complaint = byId("name-error");
  byId("naming-title").textContent = title;
  input.value = name;
  complaint.textContent = "";
  byId("name-cancel").onclick = () => dialog.close();
  dialog.querySelector("form")!.onsubmit = (event) => {
    const path = input.value.trim();
    complaint.textContent = path === name ? "" : project.refusal(path);
    if (complaint.textContent !== "") return event.preventDefault();
    if (path !== name) use(path);
  };
  dialog.showModal();
  input.select();
}

async function share(): Promise<void> {
  const button = byId("share");
  history.replaceState(null, "", await toFragment(project.shared()));
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    said = "The link stands in the address bar";
  }
  button.textContent = said;
  setTimeout(() => (button.textContent = "Copy link"), 2500);
}

async function fillChoices(): Promise<void> {
  const catalogue = await client.ask<CatalogueAnswer>("catalogue", { ask: "catalogue" });
  const groups = new Map<string, HTMLElement[]>();
  for (const gpu of catalogue.gpus) {
    const option = element("option", { value: gpu.id }, gpu.usable === null ? gpu.id : `${gpu.id} (${gibibytes(gpu.usable)})`);
    const group = catalogue.common.includes(gpu.id) ? "Common" : gpu.architecture;
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  const order = [...groups.keys()].sort((a, b) => Number(b === "Common") - Number(a === "Common"));
  select("gpu").append(...order.map((name) => element("optgroup", { label: name }, ...(groups.get(name) ?? []))));
  select("host").append(
    ...catalogue.hosts.map((host) => element("option", { value: host.id }, host.gpu === null ? host.id : `${host.id} (${host.gpus ?? 1} × ${host.gpu})`)),
  );
  select("gpu").value = project.gpu;
  select("host").value = project.host;
}

async function openAddress(): Promise<boolean> {
  const shared = await fromFragment(location.hash);
  if (shared === undefined) return false;
  project.load(shared);
  select("example").value = "";
  select("version").replaceChildren(element("option", { value: "" }, "from a link"));
  open();
  return true;
}

async function start(): Promise<void> {
  examples = (await begun.examples) as Example[];
  select("example").append(...examples.map((example, index) => element("option", { value: index }, example.title)));
  select("example").append(element("option", { value: "", hidden: true }, "–"));
  showViews();
  let opened = false;
  let complaint = "";
  try {
    opened = await openAddress();
  } catch (error) {
    complaint = error instanceof Error ? error.message : String(error);
  }
  if (!opened) chooseExample();
  await fillChoices();
  if (complaint !== "") panel.prepend(element("p", { class: "error", role: "alert" }, complaint));
}

/** Stores the page's files, which loads all of them again: not before the first verdict is there. */
function keepForOffline(): void {
  if (kept || !("serviceWorker" in navigator)) return;
  kept = true;
  void navigator.serviceWorker.register("offline.js").catch(() => {});
}

select("example").onchange = chooseExample;
select("version").onchange = chooseVersion;
select("gpu").onchange = () => {
  project.gpu = select("gpu").value;
  void judge();
};
select("host").onchange = () => {
  project.host = select("host").value;
  void judge();
};
byId("share").onclick = () => void share();
byId("add").onclick = () =>
  askName("A new file", "", (path) => {
    project.add(path);
    showFiles();
    editor?.focus();
    void judge();
  });
byId("rename").onclick = () =>
  askName("Another name", project.active, (path) => {
    project.rename(path);
    showFiles();
    void judge();
  });
byId("remove").onclick = () => {
  project.remove();
  showFiles();
  void judge();
};
byId("base").onclick = () => {
  project.compareFromHere();
  if (view === "diff") void showPanel();
};
let wide = 0;
new ResizeObserver(() => {
  if (Math.abs(panel.clientWidth - wide) < 40) return;
  wide = panel.clientWidth;
  if (view === "memory" || view === "time") void showPanel();
}).observe(panel);
window.addEventListener("hashchange", () => void openAddress());
byId("choices").addEventListener("submit", (event) => event.preventDefault());
void start();
