/**
 * Connection set-up over the control plane, by node and service name: listen, connect, accept, reject, disconnect, with private data. The connection
 * manager takes both queue pairs from RESET to RTS. Begin with {@link dev.weft.hca.cm.ConnectionManager}; {@link dev.weft.hca.cm.CmActor} implements it.
 */
package dev.weft.hca.cm;
