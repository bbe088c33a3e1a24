# `program` is the one file gpulint is; `shell` the manual page and completions it writes of itself.
include(GNUInstallDirs)
if(DEFINED SKBUILD_SCRIPTS_DIR)
  # In a wheel: the binary itself is what the environment runs, not a Python launcher.
  install(TARGETS gpulint RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT program)
  return()
endif()
install(TARGETS gpulint RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

function(install_own_text folder name)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${name})
  install(CODE "file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder})
    execute_process(COMMAND $<TARGET_FILE:gpulint> ${ARGN} OUTPUT_FILE ${path} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT shell)
  install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder} COMPONENT shell)
endfunction()
install_own_text(man/man1 gpulint.1 man)
install_own_text(bash-completion/completions gpulint completions bash)
install_own_text(zsh/site-functions _gpulint completions zsh)
install_own_text(fish/vendor_completions.d gpulint.fish completions fish)
