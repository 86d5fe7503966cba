package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import dev.weft.service.Launch;
import dev.weft.service.Part;
import dev.weft.service.Service;
import dev.weft.service.Services;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.InitializationException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The parts of the services in one command, in the order in which they start.
 *
 * @param byService the parts by the name of the service
 */
record Parts<P extends Part>(Map<String, P> byService) {
  /** Makes new parts; {@code kind} returns the part of a service in the JVM of this command. */
  static <P extends Part> Parts<P> of(Function<Service, Optional<P>> kind) {
    Map<String, P> found = new LinkedHashMap<>();
    Services.all().forEach(service -> kind.apply(service).ifPresent(part -> found.put(service.name(), part)));
    return new Parts<>(found);
  }

  /** Returns small parts for {@code weft train}. */
  @SuppressWarnings("unchecked") // A part makes a small part of the same type.
  Parts<P> small(Path directory) {
    Map<String, P> small = new LinkedHashMap<>();
    byService.forEach((name, part) -> small.put(name, (P) part.small(directory)));
    return new Parts<>(small);
  }

  /** Adds the options of the parts to a command. */
  void addOptionsTo(CommandSpec command) {
    byService.forEach((name, part) -> {
      try {
        command.addMixin(name, CommandSpec.forAnnotatedObjectLenient(part));
      } catch (InitializationException e) {
        throw new IllegalStateException("the options that the service " + name + " adds to '" + command.name() + "': " + e.getMessage(), e);
      }
    });
  }

  /** Returns the settings with the values of all options. */
  Config applyTo(Config config, CommandSpec command) {
    try {
      return applyTo(config);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(command.commandLine(), wrong.getMessage(), wrong);
    }
  }

  Config applyTo(Config config) {
    Config all = config;
    for (P part : byService.values()) {
      all = part.applyTo(all);
    }
    return all;
  }

  void check(Launch launch) {
    byService.values().forEach(part -> part.check(launch));
  }
}
