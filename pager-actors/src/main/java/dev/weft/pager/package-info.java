/**
 * The pager: a block device whose sectors are in the memory of other nodes (HPBD, sections 4 and 5). Begin with {@link
 * dev.weft.pager.BlockDevice}, the interface between the device and its front ends such as the NBD server.
 */
package dev.weft.pager;
