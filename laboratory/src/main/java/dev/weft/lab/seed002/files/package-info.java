/**
 * The parallel file system of seed 002 in virtual time: Figures 7 to 14. {@link dev.weft.lab.seed002.files.FileCluster} runs the manager, the I/O daemons and
 * the clients of real time on the hosts of a hardware profile, and {@link dev.weft.lab.seed002.files.HostCosts} charges their processors; what is charged
 * is in docs/internals/file-system-fidelity.md.
 */
package dev.weft.lab.seed002.files;
