/**
 * Connects the pager with a host's virtual memory (HPBD and NetVM): {@link dev.weft.pager.netvm.DeviceBackingStore} keeps pages on a block device, and
 * {@link dev.weft.pager.netvm.ServerMemory} gives a memory server virtual memory.
 */
package dev.weft.pager.netvm;
