/**
 * {@code weft reference}: generates the reference of commands and settings from the commands and the modules' {@code reference.conf}. Begin with
 * {@link dev.weft.launcher.reference.ReferenceCommand}.
 */
package dev.weft.launcher.reference;
