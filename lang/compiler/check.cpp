#include "syntax.hpp"
namespace tascell { void check(program&) {} }
