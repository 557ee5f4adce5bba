# SPDX-License-Identifier: BSL-1.0
# cmake -DCXX=... -DINCLUDE=... -DWORK=folder -P header_costs_test.cmake
# Two headers give a table of two rows, which the same headers do not outgrow and a smaller table does.
set(script ${CMAKE_COMMAND} "-DCXX=${CXX}" "-DINCLUDE=${INCLUDE}")
set(run -P "${CMAKE_CURRENT_LIST_DIR}/header_costs.cmake")
set(table "${WORK}/costs_of_two.md")
function(expect_refusal against sentence)
  execute_process(COMMAND ${script} -DHEADERS=core/ids.hpp,core/unmet.hpp "-DOUT=${table}" "-DAGAINST=${against}" ${run}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  if(result EQUAL 0 OR NOT errors MATCHES "${sentence}")
    message(FATAL_ERROR "must be refused with \"${sentence}\", not\n${errors}")
  endif()
endfunction()
execute_process(COMMAND ${script} -DHEADERS=core/unmet.hpp,core/ids.hpp -DTIMES=ON "-DOUT=${table}" ${run} RESULT_VARIABLE result)
file(READ "${table}" text)
if(NOT result EQUAL 0 OR
   NOT text MATCHES "[|] `core/ids[.]hpp` [|] [0-9]+ [|] ([0-9]+) [|] [0-9]+[.][0-9][0-9] [|]\n[|] `core/unmet[.]hpp` [|] [0-9]+ [|] ([0-9]+) [|]" OR
   NOT CMAKE_MATCH_1 GREATER CMAKE_MATCH_2)
  message(FATAL_ERROR "the table of two headers is\n${text}")
endif()
set(larger "${CMAKE_MATCH_1}")
execute_process(COMMAND ${script} -DHEADERS=core/unmet.hpp,core/ids.hpp "-DOUT=${table}" ${run} RESULT_VARIABLE result)
file(READ "${table}" text)
file(WRITE "${WORK}/same.md" "${text}")
execute_process(COMMAND ${script} -DHEADERS=core/ids.hpp,core/unmet.hpp "-DOUT=${table}" "-DAGAINST=${WORK}/same.md" ${run} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the same headers outgrow their own table")
endif()
# A stray column, as of a table with times.
string(REPLACE "| ${larger} |" "| ${larger} | 1.97 |" stray "${text}")
file(WRITE "${WORK}/stray.md" "${stray}")
expect_refusal("${WORK}/stray.md" "has the row .* `core/ids.hpp` .* 1.97 .*, which is not a header, its lines and its bytes")
# A header whose library is not here keeps its row. (In a copy of a header that asks for a library which nobody has.)
file(WRITE "${WORK}/costs/halograph/adapters/none.hpp"
  "#if !__has_include(<library_that_nobody_has.h>)\n#error \"halograph/adapters/none.hpp needs it\"\n#endif\n")
file(WRITE "${WORK}/kept.md" "\n| `adapters/none.hpp` | 5 | 7 |\n")
execute_process(COMMAND ${CMAKE_COMMAND} "-DCXX=${CXX}" "-DINCLUDE=${WORK}/costs" "-DOUT=${table}" "-DKEEP=${WORK}/kept.md" ${run}
  RESULT_VARIABLE result ERROR_VARIABLE errors)
file(READ "${table}" kept)
if(NOT result EQUAL 0 OR NOT kept MATCHES "\n[|] `adapters/none[.]hpp` [|] 5 [|] 7 [|]\n")
  message(FATAL_ERROR "the row of a header whose library is not here is lost:\n${kept}${errors}")
endif()
string(REPLACE "`core/ids.hpp`" "`core/other.hpp`" without "${text}")
file(WRITE "${WORK}/without.md" "${without}")
expect_refusal("${WORK}/without.md" "core/ids.hpp is not in the table")
string(REPLACE "| ${larger} |" "| 7 |" smaller "${text}")
file(WRITE "${WORK}/smaller.md" "${smaller}")
expect_refusal("${WORK}/smaller.md" "core/ids.hpp is ${larger} bytes, more than a tenth above the 7")
