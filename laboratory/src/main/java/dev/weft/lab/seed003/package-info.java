/** Seed 003, the CLAN NIC: shared memory, event server, DMA and message passing. */
package dev.weft.lab.seed003;
