package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each link within the documentation leads to a page and a heading that exist, and source files name pages that exist. */
class DocsLinksTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```$|`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
  private static final Pattern NAMED = Pattern.compile("docs/[A-Za-z0-9/_-]+\\.md");
  private static final Set<String> SOURCES = Set.of("java", "conf", "py", "sh", "xml", "lua");

  private static List<Path> files(Path directory, Set<String> endings) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> endings.contains(file.getFileName().toString().replaceFirst(".*\\.", "")) && Files.isRegularFile(file))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target|\\.git)/.*")).toList();
    }
  }

  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    for (MatchResult heading : HEADING.matcher(Files.readString(page).replaceAll("(?ms)^ *```.*?^ *```$", "")).results().toList()) {
      String slug = heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
      for (int i = 1; !anchors.add(slug); i++) {
        slug = slug.replaceFirst("-[0-9]+$", "") + "-" + i;
      }
    }
    return anchors;
  }

  @Test
  void shouldLeadToPagesAndHeadings() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : files(ROOT, Set.of("md"))) {
      String text = CODE.matcher(Files.readString(page)).replaceAll("");
      for (MatchResult found : LINK.matcher(text).results().toList()) {
        String link = found.group(1);
        if (link.contains("://")) {
          continue;
        }
        links++;
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        boolean isThere = Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
        if (!isThere) {
          broken.add(ROOT.relativize(page) + ": " + link);
        }
      }
    }
    assertEquals("", String.join("\n", broken));
    assertTrue(links > 100, "only " + links + " links were found");
  }

  @Test
  void shouldBeNamedRightInSources() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path source : files(ROOT, SOURCES)) {
      NAMED.matcher(Files.readString(source)).results().map(MatchResult::group).filter(name -> !Files.exists(ROOT.resolve(name)))
          .forEach(name -> broken.add(ROOT.relativize(source) + ": " + name));
    }
    assertEquals("", String.join("\n", broken));
  }
}
