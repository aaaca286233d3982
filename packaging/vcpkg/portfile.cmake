# The sources are those around this folder: vcpkg install weft --overlay-ports=packaging/vcpkg
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)

set(components engine ${FEATURES})
list(REMOVE_ITEM components core)
list(TRANSFORM components REPLACE "-" "_")
list(JOIN components "," components)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        "-DWEFT_COMPONENTS=${components}"
        -DWEFT_DRIVER=OFF
        -DWEFT_TESTS=OFF
        -DWEFT_POSTGRES=OFF
    MAYBE_UNUSED_VARIABLES
        WEFT_POSTGRES
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
