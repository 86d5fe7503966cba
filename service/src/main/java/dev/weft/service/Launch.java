package dev.weft.service;

import com.typesafe.config.Config;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A JVM of a fabric that is about to start.
 *
 * @param jvms JVMs that this command starts, this one included
 * @param config settings with the options of all parts laid over them
 * @param spec of the command, for errors of its options
 */
public record Launch(int jvms, Config config, CommandSpec spec) {}
