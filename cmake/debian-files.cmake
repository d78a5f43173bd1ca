# Adds what Debian expects to the files of a .deb, before it is packed (cmake/Package.cmake).
file(GLOB usr ${CPACK_TEMPORARY_DIRECTORY}/usr ${CPACK_TEMPORARY_DIRECTORY}/*/usr)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(doc ${usr}/share/doc/memkit)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "memkit (${CPACK_PACKAGE_VERSION}) unstable; urgency=low

  * NEWS.gz has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
configure_file(${source}/CHANGELOG.md ${doc}/NEWS COPYONLY)
# The License's own text is on every Debian; the exception follows it in LICENSE.
file(READ ${source}/LICENSE license)
string(FIND "${license}" "---- LLVM Exceptions" at)
string(SUBSTRING "${license}" ${at} -1 exception)
file(WRITE ${doc}/copyright "Copyright (C) 2026 the developers of memkit

memkit is under the Apache License, version 2.0, with LLVM exceptions. The text
of the license is in /usr/share/common-licenses/Apache-2.0. The exceptions:

${exception}")

# Where Debian's zsh looks.
file(MAKE_DIRECTORY ${usr}/share/zsh/vendor-completions)
file(GLOB completions ${usr}/share/zsh/site-functions/*)
file(COPY ${completions} DESTINATION ${usr}/share/zsh/vendor-completions)
file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)

file(GLOB pages ${usr}/share/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} ${doc}/changelog ${doc}/NEWS COMMAND_ERROR_IS_FATAL ANY)

# The launchers need no C library; zlib is linked in so that the program runs on many systems; and
# who builds the package sets CPACK_PACKAGE_CONTACT.
file(WRITE ${usr}/share/lintian/overrides/memkit "\
memkit: bogus-mail-host Maintainer *
memkit: bogus-mail-host-in-debian-changelog *
memkit: embedded-library zlib *
memkit: statically-linked-binary [usr/bin/mem*]
")
file(GLOB_RECURSE all LIST_DIRECTORIES true ${usr}/*)
foreach(path ${all})
  if(IS_DIRECTORY ${path})
    file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
      WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
