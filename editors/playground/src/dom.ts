// Elements without markup in strings: what a config says can never become a part of the page.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

function fill<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export interface Tab {
  id: string;
  label: string;
  count?: number | undefined;
}

/** A row of tabs, moved through with the arrow keys as the practices of ARIA ask. */
export function fillTabs(list: HTMLElement, tabs: Tab[], chosen: string, panel: string, choose: (id: string) => void): void {
  const had = list.contains(document.activeElement);
  list.replaceChildren(
    ...tabs.map((tab, index) =>
      element(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${list.id}-${index}`,
          "aria-selected": tab.id === chosen ? "true" : "false",
          "aria-controls": panel,
          tabindex: tab.id === chosen ? 0 : -1,
          click: () => choose(tab.id),
          keydown: (event) => {
            const key = (event as KeyboardEvent).key;
            const to =
              key === "ArrowRight" ? index + 1 : key === "ArrowLeft" ? index - 1 : key === "Home" ? 0 : key === "End" ? -1 : NaN;
            const next = tabs.at(to % tabs.length);
            if (Number.isNaN(to) || next === undefined) return;
            event.preventDefault();
            choose(next.id);
            list.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
          },
        },
        tab.label,
        tab.count !== undefined && tab.count > 0 && element("span", { class: "count" }, tab.count),
      ),
    ),
  );
  const selected = list.querySelector<HTMLElement>("[aria-selected=true]");
  if (selected !== null) byId(panel).setAttribute("aria-labelledby", selected.id);
  if (had) selected?.focus();
}
