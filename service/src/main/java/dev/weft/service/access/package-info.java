/**
 * The only way into a fabric: where it is, at which address of this host it reaches this JVM, and with which secret. Begin with {@link
 * dev.weft.service.access.FabricAccess}.
 */
package dev.weft.service.access;
