/**
 * The file system for programs that use {@code java.nio.file}: the provider of the scheme {@code pvfs}, which {@link java.util.ServiceLoader} finds.
 * It uses the native interface and knows no actors; docs/guides/file-system-interfaces.md describes what it promises. Begin with
 * {@code PvfsFileSystemProvider}.
 */
package dev.weft.pvfs.nio;
