// What gpulint answers (docs/outputs.md), as far as the page reads it.

export interface PageFile {
  path: string;
  text: string;
}

export interface Place {
  path: string;
  line: number;
  column: number;
}

export interface Span extends Place {
  end_line: number;
  end_column: number;
}

export type Severity = "error" | "warning" | "note";
export type Verdict = "fits" | "thin" | "does not fit" | "unknown";

export interface Finding extends Span {
  rule: string;
  severity: Severity;
  message: string;
  phase: string | null;
  related: (Place & { message: string })[];
  arithmetic: string[];
  fix: { kind: "safe" | "unsafe" | "display"; advice: string; edits: (Span & { text: string })[]; refusal: string | null } | null;
}

export interface CheckAnswer {
  report: {
    files: { path: string; dialect: string | null; reason?: string }[];
    findings: Finding[];
    suppressed: Finding[];
    summary: { errors: number; warnings: number; notes: number; suppressed: number; files: number };
  };
  errors: string[];
}

export interface Term {
  name: string;
  bytes: number;
  arithmetic: string;
}

export interface TimeTerm {
  name: string;
  seconds: number;
  arithmetic: string;
}

export interface Interval {
  low: number;
  central: number;
  high: number;
}

export interface Vram {
  low: number;
  central: number | null;
  high: number | null;
  needed: number | null;
  needed_low: number;
  needed_high: number | null;
  usable: number | null;
  verdict: Verdict;
  phase: string;
  terms: Term[];
  phases: { name: string; bytes: number }[];
  lower_bound_only: boolean;
  explanation: string;
}

export interface Run {
  path: string;
  phase: string | null;
  gpu: string | null;
  host: string | null;
  vram: Vram | null;
  ram: {
    needed: number;
    available: number | null;
    verdict: Verdict;
    terms: Term[];
    shm: { needed: number; available: number | null; verdict: Verdict } | null;
  } | null;
  step_time:
    | (Interval & {
        bottleneck: string;
        terms: TimeTerm[];
        costliest_operators: { name: string; count: number; seconds: number }[];
        explanation: string;
      })
    | null;
  throughput: Interval | null;
  epoch_time: Interval | null;
  run_time: Interval | null;
  cost: Interval | null;
  unknown: string[];
}

export interface CurvePoint {
  phase: "forward" | "backward";
  bytes: number;
}

export interface EstimateAnswer {
  report: Run | Run[];
  curves: (CurvePoint[] | null)[];
}

export interface LadderStep {
  change: Record<string, unknown>;
  vram_central: number | null;
  ram_central: number | null;
  time_factor: number | null;
  verdict: Verdict;
}

export interface FitRow {
  gpu: string;
  verdict: Verdict;
  largest_per_device_batch_size: number | null;
  batch_size_that_pays: number | null;
  longest_sequence_length: number | null;
  vram: (Interval & { usable: number | null }) | null;
  throughput: Interval | null;
  settings: Record<string, Record<string, unknown>>;
  ladder: LadderStep[];
  ram_ladder: LadderStep[];
  loading_ladder: LadderStep[];
}

export interface FitAnswer {
  report: { path: string; rows: FitRow[]; unknown: string[] };
}

export interface DiffFinding {
  rule: string;
  severity: Severity;
  path: string;
  line: number;
  message: string;
  new: boolean;
}

export interface DiffAnswer {
  report: { findings: DiffFinding[]; fixed: DiffFinding[] };
  configs: { title: string; rows: { name: string; before: string; after: string; change: string }[]; unknown: string }[];
}

export interface CatalogueAnswer {
  version: string;
  gpus: { id: string; name: string; architecture: string; usable: number | null }[];
  hosts: { id: string; gpu: string | null; gpus: number | null }[];
  common: string[];
  rules: Record<string, string>;
}
