"""The checks, by the claim each decides (claims.json). What a figure has to be is in expected/, by card, except where any card has to
have it: tolerances of repetition, agreement of two ways to measure the same, what a program does when it is told to end."""

import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import time

import native
from session import START, Skip

MIB = 1 << 20
GIB = 1 << 30
CHECKS = {}
DEVICE_RATES = ("copy", "driver_copy", "read")
HOST_RATES = ("pinned_upload", "pinned_download", "pageable_upload", "cold_upload")
FORMATS = ("bf16", "fp16", "fp32", "tf32", "fp8")
CONFIG = """output_dir: out
model_name_or_path: gpt2
per_device_train_batch_size: 8
gradient_accumulation_steps: 1
optim: adamw_torch
bf16: true
max_seq_length: 1024
packing: true
"""


def check(claim, seconds):
    """`seconds`: what it takes at most on a healthy card; it is not begun with less left."""
    def add(function):
        CHECKS[claim] = (function, seconds)
        return function
    return add


def ratio(above, below):
    return above / below if above is not None and below else None


def rates_of(session, names, report, unit):
    for name in names:
        session.figure(name, report["by_name"].get(name), unit)


def idle(session):
    """One run for all figures; the claims that share it run one after the other."""
    if not hasattr(session, "idle_run"):
        session.idle_run = session.measured()
        session.keep_report(session.idle_run)
    return session.idle_run


@check("start", 5)
def start(session):
    tool = shutil.which("readelf")
    if tool is None:
        session.skips("needed_libraries", "no readelf")
    else:
        needed = re.findall(r"NEEDED.*\[(.*)\]", session.run([tool, "-d", session.program], START).output)
        foreign = [name for name in needed if re.search("cuda|nvidia|cublas", name, re.IGNORECASE)]
        session.same("needed_libraries", " ".join(foreign) or "none of CUDA", "none of CUDA")
    ended = session.run([session.program, "--version"], START)
    session.at_most("version_seconds", ended.seconds, 0.5, "any machine")


@check("identity", 15)
def identity(session):
    device = session.device
    session.same("in_database", device["gpu"] is not None, True, note=device["name"])
    for name in ("compute_capability", "sm_count", "l2_cache"):
        session.figure(name, device[name])


@check("memory_totals", 5)
def memory_totals(session):
    for name in ("nvml_total", "cuda_total", "nvml_reserved"):
        session.figure(name, session.memory[name], "B")


@check("context", 60)
def context(session):
    session.figure("context", session.memory["context"], "B")
    if session.torch is None:
        return session.skips("torch_context", session.no_torch)
    nvml = session.nvml()
    before = nvml.used()
    process = session.start([session.torch["python"], session.root / "bench/hardware/torch_side.py", "context"], stdin="")
    ready = process.stdout.readline().strip() == "ready"
    taken = nvml.used() - before
    process.communicate("\n", timeout=START * session.patience)
    nvml.close()
    session.figure("torch_context", taken if ready else None, "B")
    bare = session.memory["context"]
    if ready and bare:
        session.within("torch_over_bare", taken - bare, 0, None, "B", "torch makes the same context, and loads modules")


@check("speed", 15)
def speed(session):
    report = idle(session)
    session.same("not_timed", "; ".join(report["not_timed"]) or "nothing", "nothing")
    session.same("undisturbed", report["disturbed_by"] or "undisturbed", "undisturbed")
    session.same("other_processes", report["memory"]["other_processes"], 0)
    session.at_most("wall", report["wall"], 13, "ten seconds from the driver's start, which takes up to three")


@check("memory_rates", 15)
def memory_rates(session):
    report = idle(session)
    rates_of(session, DEVICE_RATES, report, "B/s")
    session.within("copy_over_driver_copy", ratio(report["by_name"].get("copy"), report["by_name"].get("driver_copy")), 0.95, 1.05,
                   "", "two ways to do the same")


@check("host_copies", 15)
def host_copies(session):
    report = idle(session)
    rates_of(session, HOST_RATES, report, "B/s")
    session.figure("pinned_over_pageable", ratio(report["by_name"].get("pinned_upload"), report["by_name"].get("pageable_upload")))


@check("library_products", 15)
def library_products(session):
    report = idle(session)
    session.same("library", report["library"] is not None, True,
                 note=re.sub(r", /.*", "", report["library"] or "; ".join(report["not_timed"])[:300]))
    rates_of(session, [f"library_gemm_{name}" for name in (*FORMATS, "fp8_fast")], report, "FLOP/s")


@check("amp_speedup", 15)
def amp_speedup(session):
    rates = idle(session)["by_name"]
    for slow in ("fp32", "tf32"):
        session.figure(f"bf16_over_{slow}", ratio(rates.get("library_gemm_bf16"), rates.get(f"library_gemm_{slow}")))


@check("own_products", 15)
def own_products(session):
    rates = idle(session)["by_name"]
    rates_of(session, [f"gemm_{name}" for name in FORMATS], {"by_name": rates}, "FLOP/s")
    for name in FORMATS:
        session.figure(f"gemm_{name}_over_library", ratio(rates.get(f"gemm_{name}"), rates.get(f"library_gemm_{name}")))


@check("ceilings", 15)
def ceilings(session):
    rates = idle(session)["by_name"]
    rates_of(session, [f"issue_{name}" for name in FORMATS], {"by_name": rates}, "FLOP/s")
    for name in FORMATS:
        over = ratio(rates.get(f"issue_{name}"), rates.get(f"library_gemm_{name}"))
        if over is not None:
            session.within(f"issue_{name}_over_library", over, 0.98, None, "", "no product is faster than its instructions")


@check("launches", 15)
def launches(session):
    rates_of(session, ["launch"], idle(session), "1/s")


@check("verdicts", 15)
def verdicts(session):
    for each in idle(session)["checks"]:
        said = each["verdict"] + (f": {each['why']}" if each["why"] else "")
        good = each["verdict"] != "contradicted"
        session.line(each["prediction"], "PASS" if good else "FAIL", said, "not contradicted",
                     note=f"measured {each['measured']:.6g}, predicted {each['low']:.6g} to {each['high']:.6g}")


@check("repetition", 75)
def repetition(session):
    runs = [session.measured() for _ in range(5)]
    for name in sorted({name for run in runs for name in run["by_name"]}):
        found = [run["by_name"][name] for run in runs if name in run["by_name"]]
        if len(found) < len(runs):
            session.fails(name, f"in {len(found)} of {len(runs)} runs", "in all")
            continue
        middle = sorted(found)[len(found) // 2]
        most = session.expected.get("spread", {}).get(name, 0.15 if name in HOST_RATES else 0.03)
        session.within(name, (max(found) - min(found)) / middle, None, most, "", "spread of five runs over their median")
    session.at_most("wall", max(run["wall"] for run in runs), 13, "as of speed")


@check("jit", 65)
def jit(session):
    # The library has machine code alone, which nothing runs while PTX is forced.
    plain = session.measured("--no-library")
    before = plain["by_name"]
    cached = {"CUDA_FORCE_PTX_JIT": "1", "CUDA_CACHE_PATH": str(session.folder / "jit")}
    cold = session.measured("--no-library", env=cached)
    warm = session.measured("--no-library", env=cached)
    uncached = session.measured("--no-library", env={"CUDA_FORCE_PTX_JIT": "1", "CUDA_CACHE_DISABLE": "1"})
    session.same("not_timed", "; ".join(cold["not_timed"]) or "nothing", "; ".join(plain["not_timed"]) or "nothing",
                 note="every PTX loads")
    session.at_most("cold_wall", cold["wall"], 15, "ten seconds, the driver's start and two of its compiler")
    session.at_most("compiling", cold["wall"] - warm["wall"], 4, "the compiler's time on one core, generously")
    for name, rate in uncached["by_name"].items():
        if name in before and name not in HOST_RATES:
            session.within(name, rate / before[name], 0.95, 1.05, "", "the same kernels")


@check("older_instructions", 15)
def older_instructions(session):
    if session.device["compute_capability"] != 90:
        raise Skip("only compute capability 9.0 has wgmma")
    session.need("--no-wgmma")
    report = session.measured("--no-wgmma", "--no-library")
    newer = idle(session)["by_name"]
    for name in ("bf16", "fp8"):
        session.figure(f"mma_issue_{name}", report["by_name"].get(f"issue_{name}"), "FLOP/s")
        session.within(f"wgmma_over_mma_{name}", ratio(newer.get(f"issue_{name}"), report["by_name"].get(f"issue_{name}")), 1.2, None,
                       "", "else wgmma would not be worth its kernel")
    fp8_over_bf16 = ratio(report["by_name"].get("issue_fp8"), report["by_name"].get("issue_bf16"))
    session.figure("mma_fp8_over_bf16", fp8_over_bf16)


@check("fence", 20)
def fence(session):
    if session.device["compute_capability"] != 90:
        raise Skip("only compute capability 9.0 has wgmma")
    folder = session.root / "src/device/kernels"
    with_fence = session.native("product", folder)
    without = session.native("product", folder, "fence.proxy.async.shared::cta;")
    for ended in (with_fence, without):
        if ended.code != 0:
            return session.fails("product", ended.said(), "operations/s")
    session.figure("with_fence", float(with_fence.output), "FLOP/s")
    session.figure("without_over_with", float(without.output) / float(with_fence.output))


def back_in(nvml, baseline, seconds):
    """Seconds until the memory in use is what it was; None where it is not by then."""
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        if nvml.used() <= baseline + 64 * MIB:
            return time.monotonic() - begin
        time.sleep(0.01)
    return None


def mib(size):
    return f"{size // MIB}MiB"


def play(session, name, size, wanted):
    report = session.confirm("--footprint", mib(size), timeout=60)
    footprint = report.get("footprint") or {}
    session.same(name, footprint.get("verdict", report.get("message")), wanted, note=f"{size / GIB:.1f} GiB, {footprint.get('why', '')}")
    return report, footprint


@check("footprint", 60)
def footprint(session):
    session.need("--footprint")
    total, free = session.memory["cuda_total"], session.memory["cuda_free"]
    floor = max(256 * MIB, int(0.02 * total))
    tight = max(500 * MIB, int(0.05 * total))
    nvml = session.nvml()
    baseline = nvml.used()
    report, played = play(session, "fits", int(0.7 * total), "fits")
    session.at_most("back", back_in(nvml, baseline, 3 * session.patience), 1, "a process that ends gives everything back")
    session.at_most("wall", report["wall"], 13, "as of speed")
    if played.get("taken_peak"):
        session.within("taken_over_asked", played["taken_peak"] / played["reserved_peak"], 0.97, 1.03, "", "the tolerance of footprint")
    play(session, "fits_tight", free - (floor + tight) // 2, "fits_tight")
    play(session, "refused", free - floor // 2, "refused")
    play(session, "out_of_memory", total + GIB, "out_of_memory")
    session.at_most("back_at_the_end", back_in(nvml, baseline, 3 * session.patience), 1, "a process that ends gives everything back")
    nvml.close()


@check("allocations", 30)
def allocations(session):
    sizes = (1, MIB + 1, 10 * MIB + 1)
    ended = session.native("granules", *map(str, sizes))
    if ended.code != 0:
        raise Skip(ended.said())
    for size, lost in zip(sizes, map(int, ended.output.split())):
        granule = 2 * MIB
        session.same(f"of_{size}_bytes", lost, (size + granule - 1) // granule * granule, note="the driver's granule is 2 MiB")
    room = int(0.9 * session.memory["cuda_free"])
    ended = session.native("create", str(room), timeout=60)
    if ended.code != 0:
        session.fails("create_seconds", ended.said(), "seconds")
    else:
        session.within("create_seconds", round(float(ended.output), 3), None, 2 * room / (138 * GIB) + 0.5, "s",
                       f"2 s for 138 GiB; {room / GIB:.0f} GiB")


def config_of(session):
    path = session.folder / "train.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@check("config_footprint", 150)
def config_footprint(session):
    config = config_of(session)
    quick = ["--no-timing"] if session.has("--no-timing") else []
    batches = session.expected.get("batches", [{"batch": 1, "native": "fits", "expandable": "fits"}])
    for each in batches:
        for segments in ("native", "expandable"):
            words = [config, "--set", f"+per_device_train_batch_size={each['batch']}", *quick]
            if segments == "expandable":
                words += ["--set", "expandable_segments=true"]
            report = session.confirm(*words, timeout=60)
            found = report.get("footprint") or {}
            name = f"batch_{each['batch']}_{segments}"
            session.same(name, found.get("verdict", report.get("message")), each[segments], note=found.get("why", ""))
            contradicted = [check["prediction"] for check in report.get("checks", []) if check["verdict"] == "contradicted"]
            session.same(f"{name}_verdicts", " ".join(contradicted) or "none contradicted", "none contradicted")
            if found.get("tried"):
                session.within(f"{name}_drift", found["drift"], None, 64 * MIB, "B", "the card is idle")


@check("largest_batch", 60)
def largest_batch(session):
    session.need("--find-batch")
    report = session.confirm(config_of(session), "--find-batch", timeout=90)
    found = report.get("batch") or {}
    session.same("decided", found.get("largest") is not None, True, note=str(report.get("message", "")))
    if found.get("largest"):
        session.within("predicted_over_found", ratio(found.get("predicted"), found["largest"]), 0.95, 1.05, "",
                       "the estimate's largest batch against what the device gave")


@check("step", 20)
def step(session):
    report = session.measured(config_of(session))
    replayed = report["step"] or {}
    session.same("not_timed", "; ".join(replayed.get("not_timed", ["no step"])) or "nothing", "nothing")
    for form in ("half", "full"):
        products = replayed.get(form, {}).get("products", [])
        loose = [each for each in products if not each["exact"] and not each["reads_more"]]
        session.same(f"{form}_by_library", len(products) > 0 and not loose, True,
                     note=f"{len(products)} products, {len(loose)} not by the library")
    session.at_most("wall", report["wall"], 13, "as of speed")
    for each in report["checks"]:
        if each["prediction"] in ("step_work", "step_time", "amp_speedup"):
            said = each["verdict"] + (f": {each['why']}" if each["why"] else "")
            session.line(each["prediction"], "FAIL" if each["verdict"] == "contradicted" else "PASS", said, "not contradicted",
                         note=f"measured {each['measured']:.4g}, predicted {each['low']:.4g} to {each['high']:.4g}")


def long_run(session):
    """A run that lasts until it is told to end."""
    words = ["--sustain", "20"] if session.has("--sustain") else []
    return session.start(session.confirm_command(*words))


def children(pid):
    with contextlib.suppress(OSError):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    ended = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in ended.stdout.split()]


@check("interrupt", 45)
def interrupt(session):
    nvml = session.nvml()
    baseline = nvml.used()
    process = long_run(session)
    time.sleep(3 if session.has("--sustain") else 1.5)
    if process.poll() is not None:
        nvml.close()
        raise Skip("the run was over before it could be interrupted")
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=20 * session.patience)
        took = time.monotonic() - begin
    except subprocess.TimeoutExpired:
        session.kill(process)
        took = None
    session.at_most("seconds", took, 3, "two for the child to give back what it holds, one to end")
    session.same("by_the_signal", process.returncode, -signal.SIGINT)
    session.at_most("back", back_in(nvml, baseline, 3 * session.patience), 1, "a process that ends gives everything back")
    nvml.close()


@check("killed", 45)
def killed(session):
    session.need("--footprint")
    nvml = session.nvml()
    baseline = nvml.used()
    size = int(0.7 * session.memory["cuda_total"])
    process = session.start(session.confirm_command("--footprint", mib(size)))
    seen = 0
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() - begin < START:
        seen = nvml.used() - baseline
        if seen > size // 2:
            break
    if seen <= size // 2:
        process.communicate()
        nvml.close()
        raise Skip("the peak was over before it was seen")
    for child in children(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    output, _ = process.communicate(timeout=20 * session.patience)
    session.at_most("back", back_in(nvml, baseline, 5 * session.patience), 1, f"the driver's word; {seen / GIB:.0f} GiB were taken")
    nvml.close()
    session.same("partial_report", "ended by signal 9" in output, True, note=f"code {process.returncode}")
    session.same("next_run", session.confirm("--footprint", mib(GIB)).get("status"), "ok")


@check("visible_devices", 40)
def visible_devices(session):
    none = session.confirm(env={"CUDA_VISIBLE_DEVICES": ""})
    session.same("none_code", none["code"], 4)
    session.same("none_reason", none.get("reason"), "no_device")
    ended = session.native("uuid")
    if ended.code != 0:
        return session.skips("by_uuid", ended.said())
    named = session.confirm(env={"CUDA_VISIBLE_DEVICES": ended.output.strip()})
    session.same("by_uuid", (named.get("device") or {}).get("name"), session.device["name"])
    text = json.dumps(named)
    session.same("uuid_in_report", ended.output.strip()[4:12] in text, False)


@check("beside_others", 60)
def beside_others(session):
    session.need("--footprint")
    total = session.memory["cuda_total"]
    holder = session.start_native("hold", str(int(0.7 * total)))
    try:
        if holder.stdout.readline().strip() != "held":
            raise Skip("no process could hold memory: " + holder.communicate("\n", timeout=START * session.patience)[1].strip())
        report, _ = play(session, "refused", int(0.4 * total), "refused")
        alone = session.confirm(timeout=60)
        session.same("rates", len(alone.get("rates", [])), 0, note="; ".join(alone.get("not_timed", []))[:200])
        shared = session.confirm("--share", timeout=60)
        session.same("shared_is_disturbed", shared.get("disturbed_by") is not None, True)
        output, _ = holder.communicate("\n", timeout=START * session.patience)
        session.same("other_process", output.strip(), "whole")
    finally:
        session.kill(holder)


@check("unprivileged", 20)
def unprivileged(session):
    if os.geteuid() != 0:
        return session.same("user", "not root", "not root", note="everything here ran unprivileged")
    try:
        user = pwd.getpwnam("nobody")
    except KeyError as error:
        raise Skip("root, and there is no user nobody") from error

    def become():
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)

    try:
        report = session.confirm(env={"HOME": str(session.folder), "CUDA_CACHE_DISABLE": "1"}, preexec=become)
    except subprocess.SubprocessError as error:
        raise Skip("root may not become another user here") from error
    session.same("status", report.get("status"), "ok", note=str(report.get("message", "")))
    before = idle(session)["by_name"]
    for rate in report.get("rates", []):
        if rate["name"] in ("copy", "gemm_bf16", "library_gemm_bf16"):
            session.within(rate["name"], ratio(rate["median"], before.get(rate["name"])), 0.95, 1.05, "", "the same card")


def all_cards(session):
    """One run over all cards; both claims that share it skip where there is one."""
    session.need("--links")
    if not hasattr(session, "links_run"):
        words = ["--links"] + (["--nccl", session.options.nccl] if session.options.nccl else [])
        session.links_run = session.confirm(*words, timeout=90)
    report = session.links_run
    if report.get("status") != "ok":
        session.fails("confirm", f"{report.get('status')}: {report.get('message')}", "measured cards")
        raise Skip("nothing was measured")
    if len(report["cards"]) < 2:
        raise Skip("there is one card")
    return report


def middle(values):
    found = sorted(value for value in values if value is not None)
    return found[len(found) // 2] if found else None


@check("links", 75)
def links(session):
    report = all_cards(session)
    cards = len(report["cards"])
    session.same("pairs", sum(pair["one_way"] is not None for pair in report["links"]), cards * (cards - 1), note=f"{cards} cards")
    missing = [why for why in report["not_measured"] if not why.startswith(("collectives", "all_", "reduce_"))]
    session.same("not_measured", "; ".join(missing)[:300] or "nothing", "nothing")
    session.same("stands_out", "; ".join(report["stands_out"])[:300] or "nothing", "nothing")
    for way in ("one_way", "both_ways"):
        found = middle(pair[way]["median"] for pair in report["links"] if pair[way] is not None and pair["nvlinks"] > 0)
        session.figure(f"nvlink_{way}", found, "B/s")
    for card in report["cards"]:
        name = card["pci_bus_id"]
        session.same(f"{name}_errors", card["memory"]["uncorrected_errors"] or 0, 0, note="that could not be corrected")
        session.same(f"{name}_xids", card["xids"], [])
    for each in report["checks"]:
        if each["prediction"] not in ("all_reduce", "all_gather", "reduce_scatter"):
            said = each["verdict"] + (f": {each['why']}" if each["why"] else "")
            session.line(f"{each['prediction']}_verdict", "FAIL" if each["verdict"] == "contradicted" else "PASS", said, "not contradicted")


@check("collectives", 75)
def collectives(session):
    report = all_cards(session)
    session.same("nccl", report["nccl"] is not None, True,
                 note=re.sub(r", /.*", "", report["nccl"] or "; ".join(report["not_measured"])[:300]))
    largest = {}
    for rate in report["collectives"]:
        if rate["size"] >= largest.get(rate["name"], {"size": 0})["size"]:
            largest[rate["name"]] = rate
    for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        session.figure(f"{name}_bus", largest[name]["bus_bandwidth"]["median"] if name in largest else None, "B/s")
    for each in report["checks"]:
        if each["prediction"] in ("all_reduce", "all_gather", "reduce_scatter"):
            said = each["verdict"] + (f": {each['why']}" if each["why"] else "")
            session.line(f"{each['prediction']}_verdict", "FAIL" if each["verdict"] == "contradicted" else "PASS", said, "not contradicted",
                         note=f"measured {each['measured']:.4g}, predicted {each['low']:.4g} to {each['high']:.4g}")


@check("torch_rates", 60)
def torch_rates(session):
    if session.torch is None:
        raise Skip(session.no_torch)
    ended = session.run([session.torch["python"], session.root / "bench/hardware/torch_side.py", "rates", "15"], timeout=90)
    try:
        found = json.loads(ended.output)
    except ValueError:
        return session.fails("torch", ended.said(), "rates")
    rates = idle(session)["by_name"]
    pairs = [("copy", "copy", 0.03), ("copy", "driver_copy", 0.03)]
    pairs += [(name, f"library_gemm_{name}", 0.05 if name == "fp32" else 0.03) for name in ("bf16", "fp16", "fp32", "tf32")]
    pairs += [("bf16_last", "library_gemm_bf16", 0.05)]
    for torch_name, name, most in pairs:
        if torch_name in found:
            session.within(f"{name}_over_torch_{torch_name}", ratio(rates.get(name), found[torch_name]), 1 - most, 1 + most, "",
                           "the same card, the same library", note=f"torch {found[torch_name]:.4g}")


@check("torch_memory", 120)
def torch_memory(session):
    if session.torch is None:
        raise Skip(session.no_torch)
    measured = session.folder / "rows.jsonl"
    for model in ("resnet50", "gpt2"):
        ended = session.run([session.torch["python"], session.root / "tools/measure_torch.py", "--out", measured, "--only", model,
                             "--limit", "1", "--seconds", "40"], timeout=55)
        if ended.code != 0:
            session.skips(model, ended.said())
    rows = measured.read_text(encoding="utf-8").splitlines() if measured.is_file() else []
    if not rows:
        raise Skip("neither torchvision nor transformers is installed")
    for row in map(json.loads, rows):
        name = f"{row['model']}_batch_{row['batch']}"
        if "reserved_peak" not in row:
            session.skips(name, row.get("error", "it ran out of memory"))
            continue
        facts = {"model": row["model"], "batch_size": row["batch"], "precision": "bf16", "optimizer": row["optimizer"],
                 "learning_rate": 0.001}
        facts.update({key: row[key] for key in ("image_size", "sequence_length") if key in row})
        path = session.folder / f"{name}.yaml"
        path.write_text("".join(f"{key}: {value}\n" for key, value in facts.items()), encoding="utf-8")
        report = session.confirm(path, *(["--no-timing"] if session.has("--no-timing") else []), timeout=60)
        played = (report.get("footprint") or {}).get("reserved_peak")
        if not played:
            session.fails(name, report.get("not_played") or report.get("message"), "a replay")
            continue
        torch_reserved = row["reserved_peak"]
        most = max(0.03 * torch_reserved, 64 * MIB)
        session.within(name, played, torch_reserved - most, torch_reserved + most, "B", "max_memory_reserved of torch, 3 % or 64 MiB",
                       note=f"torch reserved {torch_reserved / GIB:.2f} GiB")


@check("sanitizer", 200)
def sanitizer(session):
    session.need("--trials-only", "--deadline")
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool):
        raise Skip("no compute-sanitizer")
    for kind in ("memcheck", "racecheck", "synccheck"):
        command = [tool, "--tool", kind, "--target-processes", "all", "--error-exitcode", "99", session.program, "confirm", "--no-save",
                   "--no-library", "--trials-only", "--deadline", "100"]
        ended = session.run(command, timeout=110)
        summary = re.search(r"(ERROR|RACECHECK) SUMMARY: (\d+)", ended.output + ended.errors)
        session.same(kind, int(summary.group(2)) if summary else ended.said(), 0, note="errors")


@check("trials", 15)
def trials(session):
    session.need("--trials-only")
    report = session.confirm("--trials-only", "--no-library")
    session.same("refused", "; ".join(report.get("not_timed", ["no report"])) or "nothing", "nothing")
    for name in report.get("trials", []):
        session.same(name, "right", "right")


@check("sustain", 60)
def sustain(session):
    session.need("--sustain")
    seconds = session.expected.get("sustain_seconds", 30)
    report = session.measured("--sustain", str(seconds), timeout=90)
    found = report.get("sustained")
    if not found:
        return session.fails("sustained", "; ".join(report["not_timed"])[:300], "a rate")
    session.within("decay", 1 - ratio(found["last"], found["first"]), None, 0.03, "", "a cooled card holds its rate", note=found["what"])
    session.within("over_burst", ratio(found["last"], report["by_name"].get(found["what"])), 0.95, 1.05, "",
                   "a rate that is kept has to hold")
    session.same("slowed_down", "; ".join(found["slowed_down"]) or "by nothing", "by nothing")
    for name, unit in (("sm_clock", "Hz"), ("power", "W"), ("temperature", "C")):
        session.figure(f"{name}_low", found["low"][name], unit)
        session.figure(f"{name}_high", found["high"][name], unit)


@check("kernels", 90)
def kernels(session):
    script = session.root / "src/device/kernels/generate.sh"
    if not script.is_file():
        raise Skip("no sources")
    ended = session.run([script, "--check"], timeout=80)
    if ended.code == 77:
        raise Skip(ended.said())
    session.same("ptx", ended.code, 0, note=ended.said())
