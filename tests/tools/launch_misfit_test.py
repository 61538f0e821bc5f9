#!/usr/bin/env python3
"""Modules under launchers of other MPIs, where nothing but the launcher's variables says how many ranks there are: each process would
compute the whole job. The arguments behind the command are tests/tools/launch_forks.cpp, the conformance program of frames, and the MPIs
for which there is a module (mpich, openmpi). Slurm's srun is stood in for by its variables."""

import os
import shutil
import subprocess
import sys

import command
import mpis

RANKS, NODES, BUILT = sys.argv[2], sys.argv[3], sys.argv[4:]
HERE = [each for each in BUILT if each in mpis.LAUNCHERS and shutil.which(mpis.LAUNCHERS[each])]
PROGRAM = [RANKS, "for", "0"]
SAID_BY = {"mpich": "an MPICH's mpirun", "openmpi": "Open MPI's mpirun"}
SIGNS = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "WEFT_", "MPI_LOCAL")


def module_of(mpi):
    return os.path.realpath(os.path.join(os.path.dirname(command.WEFT), "..", "..", "net", "mpi", f"libweft-net-{mpi}.so"))


def start(*words, **environment):
    own = {name: value for name, value in os.environ.items() if not name.startswith(SIGNS)}
    return subprocess.run([*map(str, words)], capture_output=True, text=True, errors="replace", timeout=250, check=False,
                          env={**own, **mpis.QUIET, **environment})


def by_launcher(mpi, ranks):
    return [mpis.LAUNCHERS[mpi], *(["--oversubscribe"] + ["--allow-run-as-root"] * (os.geteuid() == 0)) * (mpi == "openmpi"), "-n", ranks]


class MisfitTest(command.CommandTest):
    def refused(self, result, *parts):
        self.assertNotEqual(result.returncode, 0, result)
        self.assertNotIn("process ", result.stdout, "a process runs main")
        lines = [line for line in result.stderr.split("\n") if line.startswith("weft: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        for part in parts:
            self.assertIn(part, lines[0])

    def runs(self, result):
        self.assertEqual((result.returncode, result.stdout.count("process 0 ")), (0, 1), result)

    def test_another_mpi_s_launcher(self):
        for mpi, other in (("mpich", "openmpi"), ("openmpi", "mpich")):
            if mpi not in HERE or other not in HERE:
                continue
            for program, transport in ((PROGRAM, ""), ([NODES, "mpi-funneled", "2"], "transport mpi-funneled: ")):
                with self.subTest(launcher=mpi, module=other, program=program):
                    self.refused(start(*by_launcher(mpi, 2), *program, WEFT_LAUNCH_MPI=module_of(other)),
                                 f"weft: {transport}the module {module_of(other)} is for {mpis.NAMES[other]} ", f"does not fit to {SAID_BY[mpi]}, ",
                                 "of 2 ranks it sees 1; give weft launch --mpi the launcher of that MPI, or set WEFT_LAUNCH_RANKS=1 ")

    def test_srun_without_the_pmi_of_the_mpi(self):
        step = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"}
        for mpi in HERE:
            for more in ({}, {"PMI_RANK": "0", "PMI_SIZE": "4"} if mpi == "openmpi" else {"PMIX_RANK": "0", "PMIX_NAMESPACE": "slurm.pmix.1.0"}):
                with self.subTest(mpi=mpi, more=more):
                    self.refused(start(*PROGRAM, WEFT_LAUNCH_MPI=module_of(mpi), **step, **more), f"is for {mpis.NAMES[mpi]} ",
                                 "does not fit to Slurm's srun, ", "of 4 ranks it sees 1; give srun the --mpi= of that MPI: pmi2 or pmix")

    def test_pmix_alone(self):
        """Only the second rank can know that it is not alone."""
        if "mpich" in HERE:
            values = {"WEFT_LAUNCH_MPI": module_of("mpich"), "PMIX_NAMESPACE": "some"}
            self.refused(start(*PROGRAM, PMIX_RANK="1", **values), "does not fit to a launcher that speaks PMIx, ", "of 2 ranks it sees 1")
            self.runs(start(*PROGRAM, PMIX_RANK="0", **values))

    def test_jobs_of_one_rank(self):
        """In a batch script of several tasks; of one task; of which each is to be a job; without an MPI."""
        step = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"}
        for mpi in HERE[:1]:
            module = {"WEFT_LAUNCH_MPI": module_of(mpi)}
            self.runs(start(*PROGRAM, SLURM_PROCID="0", SLURM_NTASKS="4", SLURM_JOB_ID="7", **module))
            self.runs(start(*PROGRAM, SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="1", **module))
            self.runs(start(*PROGRAM, WEFT_LAUNCH_RANKS="1", **step, **module))
        self.runs(start(command.WEFT, "launch", "-q", "-n", 2, *PROGRAM, OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_RANK="0", **step))

    def test_jobs_inside_jobs(self):
        """What started the outer job has left its variables."""
        outer = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "2", "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "4"}
        if "mpich" in HERE:
            self.runs(start(*by_launcher("mpich", 1), *PROGRAM, WEFT_LAUNCH_MPI=module_of("mpich"), **outer))
            self.runs(start(command.WEFT, "launch", "-q", "--mpi", "mpirun.mpich", "-n", 1, *PROGRAM, **outer))
        if "openmpi" in HERE:
            self.runs(start(*by_launcher("openmpi", 1), *PROGRAM, WEFT_LAUNCH_MPI=module_of("openmpi"), PMI_RANK="1", PMI_SIZE="4"))


if __name__ == "__main__":
    for each, launcher in mpis.LAUNCHERS.items():
        if each not in HERE:
            print(f"skipped: {mpis.NAMES[each]}: {'no ' + launcher if each in BUILT else 'no module was built'}")
    command.main()
