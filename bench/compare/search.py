"""Which settings are run: the cheapest that reaches an error, the best leaf size, then interleaved repetitions."""

import sys
from collections import Counter
from math import log10

from store import Store, summary


class Case:
    """One cloud with strengths: runs contenders on it and keeps what they did."""

    def __init__(self, cloud, runner, store: Store):
        self.cloud, self.runner, self.store = cloud, runner, store

    def key(self, contender, job):
        setting, leaf, aim = job
        task = {} if self.cloud.task == "gradient" else {"task": self.cloud.task}
        return {**task, "cloud": self.cloud.name, "sign": self.cloud.sign, "n": self.cloud.n, "threads": self.runner.threads,
                "code": contender.code, "setting": setting, "leaf": leaf, "aim": aim}  # fmt: skip

    def kept(self, contender, job):
        return summary(self.store.find(**self.key(contender, job)))

    def probed(self, contender, job):
        """What is known of a job, after one untimed run for its error unless that is known."""
        known = self.kept(contender, job)
        if not known or ("failed" not in known and known["error_gradient"] is None):
            self._keep(contender, job, self.runner.probe(contender, self.cloud, job), True)
        return self.kept(contender, job)

    def _keep(self, contender, job, result, probe):
        self.store.add(self.key(contender, job), {**result, "probe": probe})
        seconds = (result.get("evaluate_s") or [result.get("first_s")])[0]
        said = result.get("failed") or f"{seconds:.2f} s {result.get('error_gradient', '')}"
        kind = "probe" if probe else "timed"
        print(self.cloud.name, self.cloud.sign, contender.code, *job[:2], kind, said, file=sys.stderr)

    def cheapest(self, contender, target):
        """The first setting whose gradient error is at most `target`, by bisection; None if none reaches it."""
        if target < contender.floor:
            return None
        settings, leaf = contender.settings, contender.middle

        def reaches(index):
            error = self.probed(contender, contender.job(settings[index], leaf, target)).get("error_gradient")
            return error is not None and error <= target

        low, high = 0, len(settings)
        while low < high:
            middle = self._guess(contender, leaf, target, low, high)
            low, high = (low, middle) if reaches(middle) else (middle + 1, high)
        return settings[low] if low < len(settings) else None

    def _guess(self, contender, leaf, target, low, high):
        """Middle of the open range; for tolerances the one ten times the error, for many degrees about 1.4 a digit."""
        if contender.setting_is == "tolerance":
            near = [i for i in range(low, high) if float(contender.settings[i]) <= 40 * target]
            return near[0] if near and near[0] > low else (low + high) // 2 if high - low > 2 else low
        if high - low <= 12:
            return (low + high) // 2
        return min(max(low, round(-2.1 * log10(target)) - 4), high - 1)

    def time(self, contender, jobs, rounds=1):
        """Runs every job that has fewer than `rounds` timed runs, as many in a process as fit its limit.
        An evaluation of more than a third of the limit is not warmed up: its first call, set-up left out, counts."""
        batch, used, limit = [], 0.0, self.runner.limit
        for job in jobs:
            known = self.kept(contender, job)
            if "failed" in known or known.get("runs", 0) >= rounds:
                continue
            guess = known or self.kept(contender, (job[0], contender.middle, job[2]))
            warm = guess["evaluate"] < limit / 3
            cost = guess["evaluate"] * (2 if warm else 1) + guess["setup"]
            if batch and (used + cost > 0.7 * limit or not warm):
                self._time(contender, batch, 1)
                batch, used = [], 0.0
            batch.append(job)
            used += cost
            if not warm:
                self._time(contender, batch, 0)
                batch, used = [], 0.0
        if batch:
            self._time(contender, batch, 1)

    def _time(self, contender, batch, repeat):
        while batch:  # again with what a failure left undone
            results = self.runner.time(contender, self.cloud, batch, repeat)
            for job, result in zip(batch, results):
                self._keep(contender, job, result, False)
            batch = batch[len(results) :]

    def leaves(self, contender, setting):
        """Leaf sizes to try: all, or the one that was best, hence timed again, for other strengths on this cloud."""
        same = {**self.key(contender, (setting, 0, None)), "probe": False}
        for key in ("sign", "leaf", "aim"):
            del same[key]
        timed = Counter(r["leaf"] for r in self.store.find(**same) if r["sign"] != self.cloud.sign and "failed" not in r)
        leaf, runs = timed.most_common(1)[0] if timed else (0, 0)
        return [leaf] if runs > 1 else contender.leaves

    def best(self, contender, setting, aim):
        """The job with the leaf size that was fastest among those that reach the error (all, if none does)."""
        jobs = [contender.job(setting, leaf, aim) for leaf in contender.leaves]
        timed = sorted((j for j in jobs if self.kept(contender, j).get("runs")),
                       key=lambda j: self.kept(contender, j)["evaluate"])  # fmt: skip
        reaching = (j for j in timed if self.probed(contender, j).get("error_gradient", 1) <= aim)
        return next(reaching, timed[0] if timed else None)
