/**
 * Models of the papers' machines that no part of the product needs: disks, TCP paths, the kernel's paging, and load. Processors and
 * adapters are charged for by {@link dev.weft.fabric.host}. Nothing here knows a result of a paper.
 */
package dev.weft.lab.hosts;
