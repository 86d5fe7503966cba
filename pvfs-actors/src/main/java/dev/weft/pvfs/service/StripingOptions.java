package dev.weft.pvfs.service;

import dev.weft.service.SizeConverter;
import java.util.List;
import picocli.CommandLine.Option;

/** The striping options of commands that create files. */
final class StripingOptions {
  @Option(names = "--base", paramLabel = "N", defaultValue = "-1", description = "First daemon; -1 to take turns (default: ${DEFAULT-VALUE}).")
  private int base;

  @Option(names = "--count", paramLabel = "N", defaultValue = "0", description = "Daemons; 0 for the manager's default (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(names = "--stripe", paramLabel = "SIZE", defaultValue = "0", converter = SizeConverter.OfInt.class,
      description = "Size of a stripe; 0 for the manager's default (default: ${DEFAULT-VALUE}).")
  private int stripe;

  List<String> words() {
    return List.of(String.valueOf(base), String.valueOf(count), String.valueOf(stripe));
  }
}
