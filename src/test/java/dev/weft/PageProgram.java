package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** Programs that stand in a page of the documentation: a block of Java whose first line is a comment with the name of its file. */
public final class PageProgram {
  private PageProgram() {}

  /**
   * Writes a program as it stands there into a directory, and compiles it without a warning.
   *
   * @param page below the root of the checkout
   * @return its source
   */
  public static Path compile(String page, String file, Path directory) throws IOException {
    String text = Files.readString(Path.of(System.getProperty("weft.root"), page));
    Matcher program = Pattern.compile("(?ms)^```java\\n// " + Pattern.quote(file) + "\\n(.*?)^```$").matcher(text);
    assertTrue(program.find(), page + " has no program " + file);
    Path source = Files.writeString(directory.resolve(file), program.group(1));
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", directory.toString(), "-cp", System.getProperty("java.class.path"),
        "-Xlint:all,-path,-processing", "-Werror", source.toString()), "the program of the page compiles");
    return source;
  }
}
