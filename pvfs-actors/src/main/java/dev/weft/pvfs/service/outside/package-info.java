/**
 * How commands reach JVMs of a fabric that they do not belong to: options and secret, for both sides. Begin with
 * {@link dev.weft.pvfs.service.outside.OutsideOptions}.
 */
package dev.weft.pvfs.service.outside;
