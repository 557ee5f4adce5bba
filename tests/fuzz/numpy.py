# SPDX-License-Identifier: BSL-1.0
"""The library's reader of .npy files against NumPy's.

    numpy.py NPY_VERDICTS FOLDER... [--files N] [--seed S]

What NumPy writes, of any type that the library knows, the library reads; and what the library reads, of these files, of
N changed copies of them, and of the files in the folders, NumPy reads as the same type, shape and elements.
"""
import argparse
import io
import pathlib
import random
import resource
import struct
import subprocess
import sys
import warnings

sys.path.pop(0)  # this file is called numpy, too
import numpy

TYPES = [order + kind + width for order in "<>" for kind, widths in (("i", "1248"), ("u", "1248"), ("f", "248")) for width in widths] + ["?"]
SHAPES = [(), (0,), (1,), (7,), (2, 3), (3, 0, 2), (2, 1, 3)]
WORDS = ["'", '"', "(", ")", ",", " ", "\n", "\0", "L", "-1", "0", "1", "2", "00", "0x2", "1e1", "9" * 20, "True", "False", "None", "descr",
         "fortran_order", "shape", "<i8", ">f4", "|u1", "|b1", "=i4", "i8", "O", "S4", "<c8", "{", "}", ":", "# ", "\t", "1_0", "+1"]


def written():
    """Files that NumPy writes: type, shape, order, version of the format."""
    for type_name in TYPES:
        for shape in SHAPES:
            count = int(numpy.prod(shape))
            values = (numpy.arange(count) % 2 if type_name == "?" else numpy.arange(count)).astype(type_name).reshape(shape)
            for order in "CF":
                for version in ((1, 0), (2, 0), (3, 0)):
                    out = io.BytesIO()
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        numpy.lib.format.write_array(out, numpy.asarray(values, order=order), version=version)
                    yield out.getvalue()


def changed(content, rng):
    """A copy with a few changes, mostly in the header, whose length may stay or follow."""
    wide = content[6:7] != b"\1"
    begin = 12 if wide else 10
    end = content.index(b"\n", begin) + 1
    header = content[begin:end].decode("latin-1")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(header) + 1)
        drop = rng.choice((0, 0, 1, 1, 2, rng.randint(0, 12)))
        header = header[:at] + rng.choice(WORDS + ["", ""]) + header[at + drop:]
    length = len(header) if rng.random() < 0.8 else end - begin
    out = content[:8] + (struct.pack("<I", length) if wide else struct.pack("<H", length)) + header.encode("latin-1") + content[end:]
    if rng.random() < 0.2:
        at = rng.randrange(len(out))
        out = out[:at] + bytes([rng.randrange(256)]) + out[at + 1:]
    if rng.random() < 0.1:
        out = out[:rng.randrange(len(out))] if rng.random() < 0.5 else out + bytes(rng.randint(1, 9))
    return out


def numpy_reads(content):
    """As npy_verdicts prints it, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = numpy.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except Exception:  # of any kind: NumPy evaluates the header
        return None
    found = found.astype(found.dtype.newbyteorder("="))
    return f"{found.dtype.name} {''.join(f'{extent},' for extent in found.shape)} {found.tobytes('C').hex()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verdicts")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--files", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    files = list(written())
    sure = len(files)
    files += [changed(files[rng.randrange(sure)], rng) for _ in range(asked.files)]
    files += [path.read_bytes() for folder in asked.folders for path in sorted(pathlib.Path(folder).iterdir())]
    packed = b"".join(struct.pack("<I", len(content)) + content for content in files)
    answer = subprocess.run([asked.verdicts], input=packed, stdout=subprocess.PIPE, check=True)
    # A shape may ask for more than there is. For NumPy alone: a sanitizer reserves terabytes.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    verdicts = answer.stdout.decode("latin-1").split("\n")
    if len(verdicts) != len(files) + 1:
        sys.exit(f"{len(verdicts) - 1} verdicts on {len(files)} files")
    read = changed_read = failed = 0
    for number, content in enumerate(files):
        ours = None if verdicts[number].startswith("refused ") else verdicts[number]
        theirs = numpy_reads(content)
        read += ours is not None
        changed_read += ours is not None and number >= sure
        if ours != theirs and (ours is not None or number < sure):
            failed += 1
            if failed <= 10:
                print(f"file {number}: {content!r}\n  the library: {verdicts[number][:200]}\n  NumPy: {str(theirs)[:200]}")
    print(f"{len(files)} files, of which the library reads {read}, and {changed_read} of those that were changed; {failed} differ from NumPy")
    sys.exit(failed > 0 or changed_read < asked.files // 200)


main()
