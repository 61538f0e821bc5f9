// The launcher of an MPI, for ranks on several machines, and the module that fits to it.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct mpi_launch {
  std::string launcher;            // its file
  std::string module;              // the file of libweft-net-*.so
  std::string library;             // the file of the MPI over which it runs; empty: the module finds it
  std::vector<std::string> words;  // the launcher's command line, up to the program
};

// word: the launcher as the user named it, a path or a command in PATH. Throws std::runtime_error
// with one line: there is none, it is of no MPI that is known, or there is no module for its MPI.
mpi_launch find_mpi(const std::string& word, const std::string& ranks, const std::string& arguments);

struct mpi_family {
  std::string name;           // for people
  std::string family;         // "mpich" or "openmpi": whose ABI it has
  bool has_standard_library;  // it was installed with a library of the standard ABI of MPI 5, too
};

// The MPI whose launcher this file is. Throws std::runtime_error with one line: it is none that is
// known.
mpi_family find_family(const std::string& launcher);

// libweft-mpi for "mpich", "openmpi" or "abi": where this command was built, or is installed. Empty: there is
// none.
std::string find_mpi_library(const std::string& family);

// A file that belongs to this command: beside it where it was built, or in lib/weft where it is
// installed. Empty: there is none.
std::string find_own_file(const std::string& name);

}  // namespace cli
