/** The reference of commands and settings, written from the commands and the modules' {@code reference.conf} themselves. */
package dev.weft.launcher.reference;
