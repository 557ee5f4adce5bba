# SPDX-License-Identifier: BSL-1.0
# cmake -DCXX=... -DSOURCE=mistakes.cpp -DINCLUDE=... -P check.cmake
#
# Each line "// <number>: <regex>" of the source is a mistake and its sentence: with -DMISTAKE=<number> the source must
# not compile, and one of the first five lines that the compiler prints must match. Without MISTAKE it must compile.
set(ENV{LC_ALL} C)  # the compiler's messages follow the user's language
set(command "${CXX}" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I${INCLUDE}")
execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the accepted half does not compile:\n${output}")
endif()
file(READ "${SOURCE}" text)
string(REPLACE ";" "[;]" text "${text}")
string(REGEX MATCHALL "// [0-9]+: [^\n]+" mistakes "${text}")
list(LENGTH mistakes count)
if(count EQUAL 0)
  message(FATAL_ERROR "the source names no mistake: a line '// 1: <regex>' is needed")
endif()
foreach(mistake IN LISTS mistakes)
  string(REGEX MATCH "^// ([0-9]+): (.*)$" matched "${mistake}")
  set(number "${CMAKE_MATCH_1}")
  set(sentence "${CMAKE_MATCH_2}")
  execute_process(COMMAND ${command} "-DMISTAKE=${number}" "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    message(FATAL_ERROR "mistake ${number} compiles")
  endif()
  string(REGEX MATCH "^([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?" first "${output}")
  if(NOT first MATCHES "${sentence}")
    message(FATAL_ERROR "mistake ${number}: the first five lines do not say \"${sentence}\":\n${output}")
  endif()
endforeach()
message(STATUS "${count} mistakes, each named in the first five lines")
