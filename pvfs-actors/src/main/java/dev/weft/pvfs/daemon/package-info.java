/**
 * The I/O daemon (PVFS over InfiniBand, section 3.2). It stores the stripes of files and moves data to and from clients by the mechanisms of section
 * 4. It knows no names; it learns a file's striping only from requests with shapes. Begin with {@code IoDaemon} and {@code DaemonCore}, the request
 * manager on the daemon's thread. With stripes in memory ({@code MemoryCore}) it moves data itself; with stripes on a disk ({@code DiskCore}) it
 * hands jobs to file access managers ({@code FileAccess}), which alone use files. The pure parts are tested without actors.
 */
package dev.weft.pvfs.daemon;
