/** Code that all commands of the launcher share. Begin with {@link dev.weft.launcher.cli.Manners}. */
package dev.weft.launcher.cli;
