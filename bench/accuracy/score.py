#!/usr/bin/env python3
"""Scores gpulint's memory estimates against published rows.

    bench/accuracy/score.py [--json] --gpulint PATH [--saved-bytes PATH] [--models DIR] DIR...

Each DIR holds a measured.jsonl or a groundtruth.jsonl and perhaps a BEST.tsv (ids of the rows that state
everything). Every row becomes a config and `--set` facts (rows.py), gpulint estimates it, and the answer is
compared in the row's own unit and kind. Standard library only; nothing here is fitted.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

import report
import rows as translate
import saved

# Open facts that keep an estimate from being made; the others concern time and host RAM.
DECISIVE = {
    "model", "parameters", "activation_bytes_per_sample", "per_device_batch_size", "image_size", "image_width",
    "sequence_length", "mixed_precision", "weights_dtype", "optimizer", "adapter_rank", "adapter_targets",
    "activation_checkpointing", "quantization", "attention_backend", "sharding_stage", "world_size", "momentum",
}

TIMEOUT_S = 60


class Gpulint:
    """The program under test."""

    def __init__(self, path):
        self.path = path
        self.gpus = [line.split()[0] for line in self.lines("list", "gpus")]
        self.models = set(self.lines("list", "models"))

    def lines(self, *arguments):
        run = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=True)
        return [line for line in run.stdout.splitlines() if line.strip()]

    def estimate(self, config, facts, gpu):
        """(answer, None) or (None, reason)."""
        command = [self.path, "estimate", "-", "--stdin-filename", "config.yaml", "--output", "json"]
        if gpu:
            command += ["--gpu", gpu]
        for fact, value in facts.items():
            command += ["--set", f"{fact}={value}"]
        try:
            run = subprocess.run(command, input=config, capture_output=True, text=True,
                                 check=False, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return None, f"gpulint took more than {TIMEOUT_S} s"
        if run.returncode != 0:
            return None, "refused: " + (run.stderr.strip().splitlines() or ["exit %d" % run.returncode])[0]
        answer = json.loads(run.stdout)
        if not answer:
            return None, "gpulint read no config"
        if not answer["vram"] or answer["vram"]["basis"] == "process_only":
            missing = sorted(set(answer["unknown"]) & DECISIVE)
            if "parameters" in missing:
                return None, "model not known"
            return None, "left open: " + ", ".join(missing)
        return answer, None


def open_facts(answer):
    missing = sorted(set(answer["unknown"]) & DECISIVE)
    return "lower bound only; open: " + (", ".join(missing) or "nothing named")


def whole_device(vram):
    """What the device shows; `central` is withheld where only the low end counts."""
    return vram["reserved_peak"] + vram["outside_allocator"]


def compare_value(row, answer, result):
    """Signed error and interval in the row's own unit and kind."""
    vram = answer["vram"]
    unit = translate.unit_of(row)
    quantity = translate.QUANTITY[row["measure_kind"]]
    value = row["measured_value_gb"]
    if vram["central"] is None:
        withheld = whole_device(vram) if quantity == "central" else vram[quantity]
        result["withheld_error"] = withheld / unit / value - 1
        return
    central = vram[quantity]
    # Where only the whole device has an interval, what lies between it and the row's kind is taken off both ends.
    kind = quantity.removesuffix("_peak")
    if vram.get(kind + "_high") is not None:
        low, high = vram[kind + "_low"], vram[kind + "_high"]
    else:
        outside = vram["central"] - central
        low, high = max(0, vram["low"] - outside), vram["high"] - outside
    if row["measure_kind"] == "unknown":  # anything from reserved to the whole device
        high = max(high, vram["high"])
    least, most = translate.published_range(row)
    result.update(
        measured=value,
        predicted=central / unit,
        error=central / unit / value - 1,
        inside=low / unit <= value <= high / unit,
        inside_as_published=low / unit <= most and least <= high / unit,
        width=(high - low) / central if central else None,
    )


def fits(answer):
    """The verdict: what the run cannot do without, against what the driver leaves."""
    return answer["vram"]["needed"] <= answer["vram"]["usable"]


def step_along(batch, direction):
    ladder = sorted(translate.TIMM_LADDER)
    larger = [b for b in ladder if b > batch]
    smaller = [b for b in ladder if b < batch]
    return (larger[0] if larger else None) if direction > 0 else (smaller[-1] if smaller else None)


def bracket(gpulint, config, facts, gpu, ran, failed, at_ran, result):
    """Where the largest predicted batch lies against [ran, failed)."""
    at_failed, _ = gpulint.estimate(config, {**facts, "per_device_batch_size": failed}, gpu)
    if not at_failed:
        return
    vram = at_failed["vram"]
    if at_ran["vram"]["central"] is None or vram["central"] is None:
        return
    result["oom_called_safe"] = vram["needed_high"] <= vram["usable"]
    low, high = fits(at_ran), fits(at_failed)
    result["bracket"] = "hit" if low and not high else "predicted too high" if not low else "predicted too low"
    # Signed distance to the edge that was missed: predicted / usable - 1 at that batch.
    edge = vram if low else at_ran["vram"]
    result["edge_error"] = edge["needed"] / edge["usable"] - 1
    if result["bracket"] == "hit":
        return
    beside = step_along(ran, -1) if not low else step_along(failed, +1)
    answer = gpulint.estimate(config, {**facts, "per_device_batch_size": beside}, gpu)[0] if beside else None
    result["one_step"] = answer is None or answer["vram"]["central"] is None or fits(answer) == (not low)


def score_row(gpulint, row):
    result = {"id": row["id"], "family": row["family"], "kind": row["measure_kind"],
              "model": row["model"] or "not stated"}
    reason = translate.left_out(row)
    if reason:
        return {**result, "left_out": reason}
    if not row["model"]:
        return {**result, "skipped": "model not stated"}
    facts = translate.facts_of(row)
    gpu = translate.gpu_id(row, gpulint.gpus)
    config = translate.config_of(row)
    answer, reason = gpulint.estimate(config, facts, gpu)
    if reason == "model not known" and not row.get("per_gpu_batch"):
        reason = "model not known, batch not stated"
    if not answer:
        return {**result, "skipped": reason}
    vram = answer["vram"]
    result["covered"] = vram["central"] is not None
    kind, has_gpu = row["measure_kind"], vram["usable"] is not None
    if not result["covered"]:
        result["skipped"] = open_facts(answer)
    if row.get("measured_value_gb") and kind in translate.QUANTITY:
        compare_value(row, answer, result)
    if not has_gpu and kind in ("fits", "oom", "max_batch_that_fits"):
        return {**result, "covered": False, "skipped": f"usable memory unknown for GPU {row.get('gpu')!r}"}
    ran = kind in ("fits", "max_batch_that_fits") or (row.get("fits") and row.get("gpu_memory_gb"))
    if ran and has_gpu:
        result["called_impossible"] = vram["low"] > vram["usable"]
    if kind == "oom" and result["covered"]:
        result["oom_called_safe"] = vram["needed_high"] <= vram["usable"]
    if row.get("oom_at_batch") and has_gpu and row.get("per_gpu_batch"):
        bracket(gpulint, config, facts, gpu, row["per_gpu_batch"], row["oom_at_batch"], answer, result)
    return result


def score_or_skip(gpulint, row):
    """A row of a shape nobody has seen is skipped by name; it must not end the run."""
    try:
        return score_row(gpulint, row)
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as problem:
        return {"id": row.get("id"), "family": str(row.get("family")), "kind": row.get("measure_kind"),
                "model": str(row.get("model")), "skipped": f"row not understood: {type(problem).__name__}"}


def quantile(values, q):
    ordered = sorted(values)
    return ordered[round(q * (len(ordered) - 1))] if ordered else None


def share(results, field, value=True):
    stated = [r[field] == value for r in results if r.get(field) is not None]
    return sum(stated) / len(stated) if stated else None


def metrics(results):
    """One family's figures, or those of any other set of rows."""
    scored = [r for r in results if "left_out" not in r]
    errors = [r["error"] for r in scored if "error" in r]
    absolute = [abs(e) for e in errors]
    widths = [r["width"] for r in scored if r.get("width") is not None]
    brackets = [r for r in scored if "bracket" in r]
    withheld = [abs(r["withheld_error"]) for r in scored if "withheld_error" in r]
    return {
        "rows": len(scored),
        "covered": sum(bool(r.get("covered")) for r in scored),
        "coverage": sum(bool(r.get("covered")) for r in scored) / len(scored) if scored else None,
        "compared": len(errors),
        "signed_error": statistics.median(errors) if errors else None,
        "median_error": statistics.median(absolute) if errors else None,
        "p90_error": quantile(absolute, 0.9),
        "worst_error": max(absolute) if errors else None,
        "withheld": len(withheld),
        "withheld_median_error": statistics.median(withheld) if withheld else None,
        "brackets": len(brackets),
        "bracket_hit_rate": share(brackets, "bracket", "hit"),
        "brackets_too_high": sum(r["bracket"] == "predicted too high" for r in brackets),
        "brackets_too_low": sum(r["bracket"] == "predicted too low" for r in brackets),
        "brackets_off_by_more_than_one_step": sum(r.get("one_step") is False for r in brackets),
        "fits_answered": sum("called_impossible" in r for r in scored),
        "fits_called_impossible": share(scored, "called_impossible"),
        "oom_answered": sum("oom_called_safe" in r for r in scored),
        "oom_called_safe": share(scored, "oom_called_safe"),
        "interval_coverage": share(scored, "inside"),
        "interval_coverage_as_published": share(scored, "inside_as_published"),
        "interval_median_width": statistics.median(widths) if widths else None,
    }


def headline(results, best, truth):
    every = metrics(results)
    best_rows = metrics([r for r in results if r["id"] in best])
    timm = [r for r in results if r["family"] == "timm"]
    covered = [r for r in timm if r.get("covered")]
    return {
        "saved_median_error": truth.get("median_error"),
        "saved_within_2pct": truth.get("within_2pct"),
        "best_rows_median_error": best_rows["median_error"],
        "best_rows_p90_error": best_rows["p90_error"],
        "timm_bracket_hit_rate": metrics(timm)["bracket_hit_rate"],
        "timm_models_covered": len({r["model"] for r in covered}),
        "fits_called_impossible": every["fits_called_impossible"],
        "oom_called_safe": every["oom_called_safe"],
        "interval_coverage": every["interval_coverage"],
        "interval_coverage_as_published": every["interval_coverage_as_published"],
        "interval_median_width": every["interval_median_width"],
        "coverage": every["coverage"],
    }


def read_rows(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def score_folders(arguments):
    measured, best, truths = [], set(), []
    for folder in map(pathlib.Path, arguments.folders):
        found = False
        if (folder / "measured.jsonl").exists():
            measured += read_rows(folder / "measured.jsonl")
            found = True
        if (folder / "groundtruth.jsonl").exists():
            known = read_rows(folder / "groundtruth.jsonl")
            truths.append(saved.score(arguments.saved_bytes, arguments.models, str(folder), known))
            found = True
        if (folder / "BEST.tsv").exists():
            lines = (folder / "BEST.tsv").read_text(encoding="utf-8").splitlines()
            best |= {line.split("\t")[0] for line in lines if line.strip()}
        if not found:
            sys.exit(f"accuracy: {folder} holds neither measured.jsonl nor groundtruth.jsonl")
    gpulint = Gpulint(arguments.gpulint)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda row: score_or_skip(gpulint, row), measured))
    truth = truths[0] if truths else {}
    if len(truths) > 1:
        truth = {"unavailable": "more than one groundtruth folder; score them one at a time"}
    families = {}
    for result in results:
        families.setdefault(result["family"], []).append(result)
    return {
        "headline": headline(results, best, truth),
        "best": metrics([r for r in results if r["id"] in best]),
        "all": metrics(results),
        "families": {name: metrics(families[name]) for name in sorted(families)},
        "saved": truth,
        "best_ids": sorted(best),
        "rows": results,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--json", action="store_true", help="figures and every row, as JSON")
    parser.add_argument("--gpulint", required=True, help="the program to score")
    parser.add_argument("--saved-bytes", help="bench/accuracy/saved_bytes; without it the saved bytes are not scored")
    parser.add_argument("--models", default=str(pathlib.Path(__file__).resolve().parents[2] / "model_db"))
    scores = score_folders(arguments := parser.parse_args())
    if arguments.json:
        json.dump(scores, sys.stdout, indent=1)
        print()
    else:
        print(report.markdown(scores))


if __name__ == "__main__":
    main()
