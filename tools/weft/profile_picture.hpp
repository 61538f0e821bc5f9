// The picture of a profile: one SVG that needs nothing beside it, alone or in a page with the text.
#pragma once

#include <string>

#include "analysis.hpp"

namespace cli {

std::string draw_profile_svg(const analysis& of, const std::string& title);
std::string draw_profile_page(const analysis& of, const std::string& title, const std::string& text);

}  // namespace cli
