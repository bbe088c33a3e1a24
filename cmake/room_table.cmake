# What each room (a folder of src/) may include, and the third-party targets only it may use. The build
# links exactly these, and cmake/check_layers.cmake holds the includes against them.
set(GPULINT_ROOMS "")
macro(gpulint_may name)
  cmake_parse_arguments(MAY "" "" "INCLUDE;LIBRARIES" ${ARGN})
  list(APPEND GPULINT_ROOMS ${name})
  set(GPULINT_ROOM_${name} ${MAY_INCLUDE})
  set(GPULINT_LIBRARIES_${name} ${MAY_LIBRARIES})
endmacro()

gpulint_may(base)
gpulint_may(disk INCLUDE base)
gpulint_may(python INCLUDE base)
gpulint_may(source INCLUDE base python LIBRARIES gpulint_yaml_cpp nlohmann_json::nlohmann_json)
gpulint_may(shell INCLUDE base source)
gpulint_may(finding INCLUDE base source)
gpulint_may(expr INCLUDE base)
gpulint_may(catalog INCLUDE base python source expr)
gpulint_may(launch INCLUDE base source shell catalog)
gpulint_may(model INCLUDE base expr catalog)
gpulint_may(code INCLUDE base python source shell expr catalog model)
gpulint_may(plan INCLUDE base python source expr catalog model code)
gpulint_may(run INCLUDE base source expr catalog model plan)
gpulint_may(memory INCLUDE base expr catalog model plan run)
gpulint_may(time INCLUDE base catalog model plan run memory)
gpulint_may(estimate INCLUDE base catalog plan run memory time)
gpulint_may(search INCLUDE base catalog plan run memory time estimate)
gpulint_may(engine INCLUDE base source finding expr catalog model plan run memory time estimate search)
gpulint_may(lint INCLUDE base source shell finding expr catalog code launch plan run memory estimate search engine)
gpulint_may(edit INCLUDE base source finding catalog plan engine lint)
gpulint_may(review INCLUDE base source finding catalog plan run memory time estimate engine lint)
gpulint_may(host INCLUDE base LIBRARIES nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS} Threads::Threads)
gpulint_may(device INCLUDE base disk host catalog memory time
  LIBRARIES nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
gpulint_may(probe INCLUDE base disk host catalog memory time device LIBRARIES nlohmann_json::nlohmann_json)
gpulint_may(report INCLUDE base source finding catalog plan run memory time estimate search engine lint edit review
  host device probe LIBRARIES nlohmann_json::nlohmann_json)
gpulint_may(lsp INCLUDE base source finding catalog plan run memory time estimate search engine lint edit report
  LIBRARIES nlohmann_json::nlohmann_json Threads::Threads)
gpulint_may(web INCLUDE base finding catalog run memory search lint edit review report LIBRARIES nlohmann_json::nlohmann_json)
gpulint_may(cli INCLUDE base disk source finding expr catalog model plan run memory time estimate search engine lint edit
  review report host device probe lsp LIBRARIES CLI11::CLI11 nlohmann_json::nlohmann_json Threads::Threads)

# Rooms that neither a check of many files nor a measurement of the host spends time in: they are compiled for size.
set(GPULINT_COLD_ROOMS disk finding shell launch search lint edit review report probe device lsp web cli)
