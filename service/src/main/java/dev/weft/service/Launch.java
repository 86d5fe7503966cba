package dev.weft.service;

import com.typesafe.config.Config;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A JVM of a fabric that is about to start.
 *
 * @param jvms number of JVMs that this command starts, including this one
 * @param config the settings, overridden by the options of all parts
 * @param spec the command, for errors about its options
 */
public record Launch(int jvms, Config config, CommandSpec spec) {}
