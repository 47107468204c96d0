"""Options and errors: a class, a code and a sentence each."""
import numpy as np
import pytest

import farfield as ff


@pytest.mark.parametrize("options, sentence", [
    ({"tolerence": 1e-3}, "no option tolerence; did you mean tolerance"),
    ({"zzz": 1}, "no option zzz; help"),
    ({"kernel": "coulomb"}, "kernel is 'coulomb'; pass one of \"laplace3d\""),
    ({"kernel": 0}, "kernel is 0"),
    ({"gradient": "yes"}, "gradient is 'yes'; pass True or False"),
    ({"threads": 1.5}, "threads is 1.5; pass a whole number"),
    ({"threads": True}, "threads is True; pass a whole number"),
    ({"check": 2**70}, "pass a whole number"),
    ({"tolerance": "small"}, "tolerance is 'small'; pass a number"),
    ({"tolerance": -1}, "tolerance"),
    ({"kernel": "gauss"}, "bandwidth"),
    ({"threads": -1}, "threads -1 is outside"),
])
def test_options_that_are_refused(options, sentence):
    with pytest.raises(ff.UsageError, match=sentence) as caught:
        ff.Plan(np.ones((4, 3)), **options)
    assert caught.value.code == 2 and isinstance(caught.value, ValueError)


def test_numbers_of_numpy_are_numbers():
    report = ff.Plan(np.ones((4, 3)), tolerance=np.float32(0.5), threads=np.int64(1), gradient=np.bool_(True)).report
    assert (report.tolerance, report.threads, report.gradient) == (0.5, 1, True)


def test_every_option_is_accepted():
    """Each by its default, all at once; and in the signature."""
    import inspect

    initial = {option.name: option.initial for option in ff._core.options()}
    assert ff.Plan(np.ones((4, 3)), **initial).report.sources == 4
    assert set(initial) < set(inspect.signature(ff.Plan).parameters)
    assert set(initial) < set(inspect.signature(ff.evaluate).parameters)


def test_classes():
    for kind, base, code in [(ff.UsageError, ValueError, 2), (ff.InputError, ValueError, 3),
                             (ff.DeviceError, RuntimeError, 4), (ff.OutOfMemoryError, MemoryError, 5),
                             (ff.OutputError, OSError, 6), (ff.InternalError, RuntimeError, 7)]:
        assert issubclass(kind, ff.Error) and issubclass(kind, base) and kind.code == code


def test_device_is_missing():
    if ff.built_with_cuda() and ff.devices():
        pytest.skip("there is a device")
    with pytest.raises(ff.DeviceError):
        ff.Plan(np.ones((4, 3)), backend="cuda")


def test_no_memory():
    # Densities that repeat one row: read where they lie they need no memory, but their results do.
    plan = ff.Plan(np.ones((2, 3)))
    with pytest.raises((ff.Error, MemoryError)):
        plan.evaluate(np.lib.stride_tricks.as_strided(np.ones((2, 2)), (2**55, 2), (16, 8)))
