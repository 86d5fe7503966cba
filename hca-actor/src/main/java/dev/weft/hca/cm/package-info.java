/**
 * Connection set-up over the control plane: listen, connect, accept, reject, disconnect, private data, by node and
 * service name. The connection manager takes both queue pairs from RESET to RTS.
 */
package dev.weft.hca.cm;
