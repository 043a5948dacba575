@echo off
rem Starts the iwarp command with a JDK 17 or newer. In a checkout it builds the command first, once.
rem
rem JAVA_HOME     the JDK, if it is set; else the java of the PATH
rem IWARP_OPTS    options of the JVM, for example -Xmx1g
rem
rem Paths may contain parentheses, which would end a block: so there are jumps, and no blocks.
setlocal
set "HERE=%~dp0"

set "JAVA=java"
if not defined JAVA_HOME goto path
set "JAVA=%JAVA_HOME%\bin\java"
if exist "%JAVA%.exe" goto version
echo iwarp: JAVA_HOME is "%JAVA_HOME%", which has no bin\java.exe: set it to a JDK 17 or newer, or unset it 1>&2
exit /b 2

:path
where java >nul 2>nul
if not errorlevel 1 goto version
echo iwarp: there is no java: install a JDK 17 or newer, or set JAVA_HOME 1>&2
exit /b 2

:version
set "VERSION="
set "MAJOR="
for /f "tokens=3" %%v in ('""%JAVA%" -version 2^>^&1" ^| findstr /i "version"') do if not defined VERSION set "VERSION=%%~v"
for /f "delims=.-+" %%m in ("%VERSION%") do set "MAJOR=%%m"
if not defined MAJOR goto jar
if %MAJOR% GEQ 17 goto jar
echo iwarp: "%JAVA%" is Java %VERSION%: a JDK 17 or newer is needed, set JAVA_HOME to one 1>&2
exit /b 2

rem In a distribution the jar is in lib, beside bin; in a checkout it is where Maven builds it.
:jar
set "JAR=%HERE%..\lib\iwarp.jar"
if exist "%JAR%" goto start
set "JAR=%HERE%tools\target\iwarp.jar"
set "LOCK=%HERE%target\iwarp-build"
if exist "%LOCK%" goto locked
if exist "%JAR%" goto start
where mvn >nul 2>nul
if errorlevel 1 goto no_maven
if not exist "%HERE%target" mkdir "%HERE%target" 2>nul
mkdir "%LOCK%" 2>nul
if errorlevel 1 goto read_only
echo iwarp: builds the command, once, which takes some seconds; the first time Maven fetches some 35 MB more 1>&2
pushd "%HERE%"
call mvn -B -ntp -T 1C -Dmaven.test.skip -pl tools -am package 2>&1 | findstr /b /c:"[INFO] Building iW" /c:"[ERROR]" 1>&2
popd
rmdir "%LOCK%"
if exist "%JAR%" goto start
echo iwarp: the build failed, for the reasons above 1>&2
exit /b 2

:locked
echo iwarp: another iwarp builds the command, or was interrupted: wait for it, or remove "%LOCK%" and "%JAR%" 1>&2
exit /b 2

:no_maven
echo iwarp: there is no mvn, which builds the command: install Maven 3.8 or newer 1>&2
exit /b 2

:read_only
echo iwarp: cannot build the command, because "%HERE%target" cannot be written to: copy the checkout to a folder of your own 1>&2
exit /b 2

:start
"%JAVA%" %IWARP_OPTS% -jar "%JAR%" %*
