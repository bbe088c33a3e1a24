"""Markdown of the scores, for docs/accuracy.md."""

WORST = 12


def percent(value, signed=False):
    if value is None:
        return "–"
    return f"{100 * value:+.1f} %" if signed else f"{100 * value:.1f} %"


def table(head, lines):
    rule = "|" + "---|" * len(head)
    return "\n".join(["| " + " | ".join(head) + " |", rule] + ["| " + " | ".join(map(str, l)) + " |" for l in lines])


WITHHELD = """
`withheld`: rows for which gpulint gives a lower bound only; the error its most likely value would have had. They
count as not covered."""


def counted(results, field):
    counts = {}
    for result in results:
        if field in result:
            key = (result["family"], result[field])
            counts[key] = counts.get(key, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def headline(scores):
    lines = []
    for name, value in scores["headline"].items():
        shown = "–" if value is None else f"{value}" if name == "timm_models_covered" else f"{value:.4f}"
        lines.append((name, shown))
    return table(("headline", "ratio"), lines)


def peaks(scores):
    head = ("family", "rows", "covered", "compared", "signed median", "median", "p90", "worst", "in interval", "as published", "width",
            "withheld", "their median")
    sets = list(scores["families"].items()) + [("**BEST.tsv**", scores["best"]), ("**all**", scores["all"])]
    return table(head, [
        (name, m["rows"], percent(m["coverage"]), m["compared"], percent(m["signed_error"], True),
         percent(m["median_error"]), percent(m["p90_error"]), percent(m["worst_error"]),
         percent(m["interval_coverage"]), percent(m["interval_coverage_as_published"]),
         percent(m["interval_median_width"]), m["withheld"],
         percent(m["withheld_median_error"]))
        for name, m in sets
    ])


def verdicts(scores):
    head = ("family", "brackets", "hit", "predicted too high", "predicted too low", "off by > 1 step",
            "fits rows", "called impossible", "oom rows", "called safe")
    lines = []
    for name, m in list(scores["families"].items()) + [("**all**", scores["all"])]:
        if m["brackets"] or m["fits_answered"] or m["oom_answered"]:
            lines.append((
                name, m["brackets"], percent(m["bracket_hit_rate"]), m["brackets_too_high"], m["brackets_too_low"],
                m["brackets_off_by_more_than_one_step"], m["fits_answered"], percent(m["fits_called_impossible"]),
                m["oom_answered"], percent(m["oom_called_safe"]),
            ))
    return table(head, lines)


def saved_section(truth):
    if not truth or "unavailable" in truth:
        return "Not scored: " + (truth or {}).get("unavailable", "no groundtruth.jsonl given") + "."
    lines = [
        (name, m["rows"], m["covered"], percent(m["median_error"]), percent(m["within_2pct"]))
        for name, m in truth["families"].items()
    ]
    lines.append(("**all**", truth["rows"], truth["covered"], percent(truth["median_error"]),
                  percent(truth["within_2pct"])))
    parts = [table(("family", "rows", "covered", "median error", "within 2 % of all rows"), lines), ""]
    parts += [f"- {percent(w['error'], True)} {w['row']}" for w in truth["worst"] if abs(w["error"]) > 0.02]
    parts += [f"- not covered: {count} rows: {why}" for why, count in sorted(truth["skipped"].items())]
    parts += [f"- left out: {name}: {why}" for name, why in truth["left_out"].items()]
    return "\n".join(parts)


def value_line(result):
    return (f"- {percent(result['error'], True)} `{result['id']}` ({result['kind']}): predicted "
            f"{result['predicted']:.2f}, measured {result['measured']:.2f}")


def worst_rows(scores):
    compared = [r for r in scores["rows"] if "error" in r]
    parts = []
    best = set(scores["best_ids"])
    groups = [("BEST.tsv", [r for r in compared if r["id"] in best])]
    groups += [(name, [r for r in compared if r["family"] == name]) for name in scores["families"]]
    for name, results in groups:
        if results:
            parts += ["", f"### {name}", ""]
            limit = len(results) if name == "BEST.tsv" else WORST
            parts += [value_line(r) for r in sorted(results, key=lambda r: -abs(r["error"]))[:limit]]
    return "\n".join(parts)


def wrong_verdicts(scores):
    parts = []
    for r in scores["rows"]:
        if r.get("called_impossible"):
            parts.append(f"- ran, called impossible: `{r['id']}`")
        if r.get("oom_called_safe"):
            parts.append(f"- failed, called safe: `{r['id']}`")
    missed = [r for r in scores["rows"] if r.get("bracket", "hit") != "hit"]
    for r in sorted(missed, key=lambda r: -abs(r["edge_error"])):
        steps = "" if r.get("one_step", True) else ", more than one step"
        parts.append(f"- {r['bracket']} `{r['id']}`: {percent(r['edge_error'], True)} of usable at the edge{steps}")
    return "\n".join(parts) or "None."


def reasons(scores, field):
    lines = [(family, count, why) for (family, why), count in counted(scores["rows"], field)]
    return table(("family", "rows", "reason"), lines) if lines else "None."


def left_out(scores):
    named = [f"- `{r['id']}`: {r['left_out']}" for r in scores["rows"] if "left_out" in r]
    return "\n".join(named) or "None."


def architecture(result):
    """The leading word of a zoo's config or model name; other families name models one by one."""
    if result["family"].startswith("mm"):
        return result["model"].split("_")[0]
    if result["family"] == "timm":
        words = result["model"].split("_")
        return "_".join(words[:2] if words[0] in ("tf", "gluon", "ssl", "swsl", "ig", "legacy") else words[:1])
    return result["model"]


def unknown_models(scores):
    counts = {}
    for r in scores["rows"]:
        if str(r.get("skipped", "")).startswith("model not known"):
            key = (r["family"], architecture(r))
            counts[key] = counts.get(key, 0) + 1
    lines = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:60]
    return table(("rows", "family", "model or architecture"), [(n, f, m) for (f, m), n in lines]) if lines else "None."


def markdown(scores):
    sections = [
        ("Headline", headline(scores)),
        ("Peak against published values, per family", peaks(scores) + "\n" + WITHHELD),
        ("Fits and does not fit", verdicts(scores)),
        ("Bytes saved for backward", saved_section(scores["saved"])),
        ("Worst rows", worst_rows(scores)),
        ("Wrong verdicts and missed brackets", wrong_verdicts(scores)),
        ("Not covered, with the reason", reasons(scores, "skipped")),
        ("Models that are missing, most rows first", unknown_models(scores)),
        ("Left out, because their README says not to score them", left_out(scores)),
    ]
    return "\n\n".join(f"## {title}\n\n{body}" for title, body in sections)
