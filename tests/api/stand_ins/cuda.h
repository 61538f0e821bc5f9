/* What tests compile in place of CUDA's header of this name, of which they use nothing. */
#pragma once
