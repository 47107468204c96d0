"""What peers.py measures, as rows of a file (csv), and as cells of a table: printed by peers.py, and by the site when it is built."""
import csv
from pathlib import Path

key = ("where", "n", "package", "setting", "type")
#: and how its numbers are written; a row that has no seconds says why
measured = {"seconds": ".3g", "first": ".3g", "potential": ".1e", "gradient": ".1e", "megabytes": ".0f", "lines": "d", "why": ""}
header = ["package", "setting", "type", "seconds", "first call", "error, potential", "error, gradient", "MB", "lines", "Farfield / it"]


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: number(name, text) for name, text in row.items() if text} for row in csv.DictReader(file)]


def number(name, text):
    return int(text) if name in ("n", "lines") else float(text) if measured.get(name) else text


def write(path, rows):
    """Rows of the file that were measured again give way to the new ones; the others stay."""
    earlier = read(path) if Path(path).exists() else []
    found = {tuple(row[name] for name in key): row for row in earlier + rows}
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*key, *measured])
        for names, row in sorted(found.items(), key=lambda item: item[0][:2]):
            writer.writerow([*names, *(written(row, name) for name in measured)])


def written(row, name):
    return format(row[name], measured[name]) if row.get(name) is not None else ""


def as_good(one, other):
    """Are the errors of `one` as small? Below 1e-14 they are rounding alone."""
    return all(one.get(part) is not None and other.get(part) is not None and one[part] <= max(other[part], 1e-14)
               for part in ("potential", "gradient"))


def ratio(row, rows):
    """Time of Farfield's fastest row with errors as small, of the same N and place, over that of the row."""
    own = [r["seconds"] for r in rows if r["package"].startswith("farfield") and r["n"] == row["n"] and r["where"] == row["where"]
           and as_good(r, row)]
    return f"{min(own) / row['seconds']:.2g}" if own else "no such row"


def cells(row, rows):
    names = [row["package"], row["setting"], row["type"]]
    if "seconds" not in row:
        return [*names, row["why"], "", "", "", "", written(row, "lines"), ""]
    errors = [written(row, part) or "not a number" for part in ("potential", "gradient")]
    return [*names, written(row, "seconds"), written(row, "first"), *errors, written(row, "megabytes"), written(row, "lines"),
            ratio(row, rows)]
