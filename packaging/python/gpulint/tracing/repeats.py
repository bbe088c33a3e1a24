"""Runs of equal statements."""

import json


def folded(body, limit=96):
    """Runs of equal statements as `repeat`; the run that saves most text first."""
    keys = [json.dumps(s) for s in body]
    result, at = [], 0
    while at < len(body):
        best, period, times = 0, 1, 1
        for length in range(1, min(limit, (len(body) - at) // 2) + 1):
            if keys[at] != keys[at + length]:
                continue
            count = 1
            while keys[at : at + length] == keys[at + count * length : at + (count + 1) * length]:
                count += 1
            gain = (count - 1) * sum(len(k) for k in keys[at : at + length]) - 30
            if count > 1 and gain > best:
                best, period, times = gain, length, count
        if times > 1:
            result.append({"repeat": str(times), "body": folded(body[at : at + period], limit)})
            at += period * times
        else:
            result.append(body[at])
            at += 1
    return result
