# Included by src/gromacs/fmm/CMakeLists.txt. Options and checks of input are always compiled, so that every GROMACS
# reads the same .mdp and .tpr files; the sum needs an installed Farfield (-DCMAKE_PREFIX_PATH=...).
target_sources(fmm PRIVATE farfield/farfieldinput.cpp farfield/farfieldoptions.cpp)

if(GMX_USE_EXT_FMM)
    # GLOBAL: libgromacs, which links the objects of fmm, is a target of another folder.
    find_package(farfield 0.1 REQUIRED GLOBAL)
    # Farfield's headers need C++20, GROMACS is C++17.
    add_library(farfield_sum STATIC farfield/farfieldsum.cpp)
    set_target_properties(farfield_sum PROPERTIES CXX_STANDARD 20 POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(farfield_sum PRIVATE farfield::farfield)
    target_sources(fmm PRIVATE farfield/farfieldtopology.cpp)
    target_link_libraries(fmm PRIVATE farfield_sum)
endif()
