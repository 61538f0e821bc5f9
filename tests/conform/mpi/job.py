"""Jobs that the launcher of an MPI starts, for the tests of the library between programs and MPI."""

import contextlib
import os
import signal
import subprocess
import tempfile

SECONDS = 60  # on a machine that is busy; most cases take less than two
ENVIRONMENT = {
    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",  # MPIs keep memory
    "OMPI_MCA_orte_base_help_aggregate": "0",
}


def launched(launcher, ranks, program, *words, before=(), options=(), **environment):
    """The exit status and what the job wrote. before: words in front of the launcher; options: of the launcher."""
    options = list(options)
    if "openmpi" in launcher:
        options += ["--oversubscribe", "--bind-to", "none"] + ["--allow-run-as-root"] * (os.geteuid() == 0)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+", errors="replace") as output:
        environment = {**os.environ, **ENVIRONMENT, "WEFT_TEST_FOLDER": folder, **environment}
        command = [*before, launcher, *options, "-n", str(ranks), program, *words]
        job = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
        try:
            status = job.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = None if living_children(job.pid) else -signal.SIGKILL  # Open MPI 4.1's launcher may hang once its ranks are dead
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        output.seek(0)
        said = output.read()
    if status is None:
        raise AssertionError(f"{' '.join(command)} did not end in {SECONDS} s\n{said}")
    return status, said


def living_children(pid):
    """Whether a child of the process has not ended."""
    done = subprocess.run(["ps", "--ppid", str(pid), "-o", "stat="], capture_output=True, text=True, check=False)
    return any(not state.startswith("Z") for state in done.stdout.split())
