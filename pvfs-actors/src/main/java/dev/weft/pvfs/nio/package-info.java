/**
 * The file system for programs that know {@code java.nio.file} only: provider of the scheme {@code pvfs}, found by {@link java.util.ServiceLoader}. It stands
 * on the native interface; docs/guides/file-system-interfaces.md says what it promises. Actors are not known here.
 */
package dev.weft.pvfs.nio;
