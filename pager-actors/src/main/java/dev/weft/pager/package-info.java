/**
 * The pager: a block device whose sectors live in the memory of other nodes (seed 001, sections 4 and 5).
 * {@link dev.weft.pager.BlockDevice} is the seam between the device and what exports it to clients.
 */
package dev.weft.pager;
