/**
 * Seed 001, the high performance block device (HPBD): programs that swap, the machine that they swap on, and its devices, among them the
 * pager of this project. The swapping model is a memory of frames with second chance, read-ahead and write clustering; what it costs is in
 * {@link dev.weft.lab.hosts.SwapProfile}.
 */
package dev.weft.lab.seed001;
