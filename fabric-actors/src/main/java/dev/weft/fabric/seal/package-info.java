/**
 * Encrypts and authenticates all datagrams of a media driver. {@link dev.weft.fabric.seal.SealedSocket} has the protocol, without Aeron;
 * {@link dev.weft.fabric.seal.SealedEndpoints} puts it below Aeron's endpoints. Begin with {@link dev.weft.fabric.seal.SealedSocket}.
 */
package dev.weft.fabric.seal;
