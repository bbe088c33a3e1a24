"""Reads what the saved_bytes program prints about a groundtruth.jsonl."""

import re
import statistics
import subprocess

# README of the rows: "Do not use the rnn rows as CUDA truth" (the CPU unrolls what cuDNN keeps in one buffer).
LEFT_OUT_FAMILIES = {"rnn": "README: not CUDA truth"}

ROW = re.compile(
    r"^- (\S+) size \S+ batch \S+ (\S+) (\S+): predicted (\d+), measured (\d+), (\S+) %"
)
REFUSED = re.compile(r"^- (\S+) \((\d+) rows\): (.*)$")


def score(program, models, folder, rows):
    """Metrics over all rows of folder/groundtruth.jsonl, or the reason there are none."""
    if program is None:
        return {"unavailable": "no saved_bytes program", "rows": len(rows)}
    run = subprocess.run([program, models, folder, "--rows"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return {"unavailable": (run.stderr.strip() or f"exit {run.returncode}")[:200], "rows": len(rows)}
    family_of = {row["model"]: row["family"] for row in rows}
    counts, left_out = {}, {}
    for row in rows:
        counts[row["family"]] = counts.get(row["family"], 0) + 1
    errors, named, reasons = {}, [], {}
    for line in run.stdout.splitlines():
        if found := ROW.match(line):
            family = family_of.get(found[1], "?")
            if family in LEFT_OUT_FAMILIES:
                continue
            error = float(found[6]) / 100
            errors.setdefault(family, []).append(error)
            named.append((abs(error), error, f"{found[1]} {found[2]} {found[3]}"))
        elif (found := REFUSED.match(line)) and family_of.get(found[1]) not in LEFT_OUT_FAMILIES:
            reasons[found[3]] = reasons.get(found[3], 0) + int(found[2])
    for family, why in LEFT_OUT_FAMILIES.items():
        if family in counts:
            left_out[f"{family} ({counts.pop(family)} rows)"] = why
    everything = [e for family in errors.values() for e in family]
    total = sum(counts.values())
    if not total:
        return {"unavailable": "no rows", "rows": 0}
    return {
        "rows": total,
        "covered": len(everything),
        "median_error": statistics.median(map(abs, everything)) if everything else None,
        "within_2pct": sum(abs(e) <= 0.02 for e in everything) / total,
        "families": {name: family_metrics(errors.get(name, []), counts[name]) for name in sorted(counts)},
        "worst": [{"row": name, "error": error} for _, error, name in sorted(named, reverse=True)[:10]],
        "skipped": reasons,
        "left_out": left_out,
    }


def family_metrics(errors, rows):
    absolute = sorted(map(abs, errors))
    return {
        "rows": rows,
        "covered": len(errors),
        "median_error": statistics.median(absolute) if absolute else None,
        "within_2pct": sum(e <= 0.02 for e in absolute) / rows,
    }
