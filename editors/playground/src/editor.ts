// The editor. It lives in a shadow tree: there it adopts its style sheets as objects, which a page that forbids inline styles
// allows.

import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Transaction } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Finding } from "./answers.ts";
import { offsetOf } from "./positions.ts";

function languageOf(path: string): Extension {
  if (/\.(ya?ml)$/.test(path)) return yaml();
  if (path.endsWith(".json")) return json();
  if (path.endsWith(".py")) return python();
  if (path.endsWith(".env")) return StreamLanguage.define(properties);
  return StreamLanguage.define(shell);
}

// Colours that can be read on both papers stand in variables, which a shadow tree inherits.
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "13.5px" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--panel) 60%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--link) 25%, transparent)",
  },
  ".cm-tooltip, .cm-panels": { color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--line)" },
  ".cm-tooltip": { maxWidth: "min(38rem, 92vw)", fontFamily: "system-ui,sans-serif" },
  ".cm-diagnosticAction": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)" },
  // The marks of the package are pictures in data: addresses, which the page's policy forbids.
  ".cm-lintRange": { paddingBottom: "0" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--thin)" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--faint)" },
  ".cm-lint-marker": { width: "1em", height: "1em", lineHeight: "1.5", fontWeight: "700" },
  ".cm-lint-marker-error": { content: "normal", color: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", color: "var(--thin)" },
  ".cm-lint-marker-info": { content: "normal", color: "var(--faint)" },
  ".cm-lint-marker-error::before": { content: "'●'" },
  ".cm-lint-marker-warning::before": { content: "'▲'" },
  ".cm-lint-marker-info::before": { content: "'○'" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--thin)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--faint)" },
  ".cm-panel input, .cm-panel button": { color: "var(--ink)", backgroundColor: "var(--panel)", backgroundImage: "none" },
});
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName], color: "var(--link)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--thin)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.controlKeyword, tags.standard(tags.name)], color: "var(--bad)" },
]);

export interface EditorEvents {
  changed(text: string): void;
  apply(finding: Finding): void;
}

export class Editor {
  private readonly view: EditorView;
  private path = "";
  private readonly states = new Map<string, EditorState>();

  constructor(parent: HTMLElement, private readonly events: EditorEvents) {
    const root = parent.attachShadow({ mode: "open" });
    const frame = document.createElement("div");
    root.append(frame);
    const size = new CSSStyleSheet();
    size.replaceSync("div:first-of-type{height:100%}:host{display:block}");
    root.adoptedStyleSheets = [size];
    this.view = new EditorView({ parent: frame, root });
  }

  /** Shows a file; what was undone and selected in it is still there. */
  show(path: string, text: string): void {
    if (this.path === path && this.view.state.doc.toString() === text) return;
    if (this.path !== "") this.states.set(this.path, this.view.state);
    this.path = path;
    const known = this.states.get(path);
    this.view.setState(known !== undefined && known.doc.toString() === text ? known : this.fresh(path, text));
  }

  forget(): void {
    this.states.clear();
    this.path = "";
  }

  /** The whole text is another one; an edit that can be undone. */
  replace(text: string): void {
    if (this.view.state.doc.toString() === text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  goTo(line: number, column: number): void {
    const at = offsetOf(this.view.state.doc, line, column);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  mark(findings: Finding[]): void {
    const document = this.view.state.doc;
    const marks = findings.map((finding): Diagnostic => {
      const from = offsetOf(document, finding.line, finding.column);
      const to = Math.max(from, offsetOf(document, finding.end_line, finding.end_column));
      const mark: Diagnostic = {
        from,
        to,
        severity: finding.severity === "note" ? "info" : finding.severity,
        source: finding.rule,
        message: finding.message,
      };
      if (finding.fix !== null && finding.fix.edits.length > 0 && finding.fix.refusal === null) {
        mark.actions = [{ name: "Apply fix", apply: () => this.events.apply(finding) }];
      }
      return mark;
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  private fresh(path: string, text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        EditorState.tabSize.of(2),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        // Tab leaves the editor, so that nobody is caught in it.
        keymap.of([
          { key: "Mod-]", run: indentMore },
          { key: "Mod-[", run: indentLess },
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...lintKeymap,
        ]),
        languageOf(path),
        look,
        syntaxHighlighting(colours),
        EditorView.contentAttributes.of({ "aria-label": `text of ${path}`, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          const typed = update.transactions.some((each) => each.docChanged && each.annotation(Transaction.addToHistory) !== false);
          if (update.docChanged && typed) this.events.changed(update.state.doc.toString());
        }),
      ],
    });
  }
}
