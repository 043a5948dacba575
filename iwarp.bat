@echo off
rem Starts the iwarp command: finds its jar and a JDK 17 or newer.
rem
rem JAVA_HOME     the JDK, if it is set; else the java of the PATH
rem IWARP_OPTS    options of the JVM, for example -Xmx1g
setlocal

rem In a distribution the jar is in lib, beside bin; in a checkout it is where Maven builds it.
set "JAR=%~dp0..\lib\iwarp.jar"
if not exist "%JAR%" set "JAR=%~dp0tools\target\iwarp.jar"
if not exist "%JAR%" (
    echo iwarp: the jar is not built yet: run mvn -B -ntp -q -DskipTests package in %~dp0 1>&2
    exit /b 2
)

set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
if defined JAVA_HOME if not exist "%JAVA%.exe" (
    echo iwarp: JAVA_HOME is %JAVA_HOME%, which has no bin\java.exe: set it to a JDK 17 or newer, or unset it 1>&2
    exit /b 2
)
if not defined JAVA_HOME where java >nul 2>nul || (
    echo iwarp: there is no java: install a JDK 17 or newer, or set JAVA_HOME 1>&2
    exit /b 2
)

set "VERSION="
for /f "tokens=3" %%v in ('""%JAVA%" -version 2^>^&1" ^| findstr /i "version"') do if not defined VERSION set "VERSION=%%~v"
for /f "delims=.-+" %%m in ("%VERSION%") do set "MAJOR=%%m"
if not defined MAJOR goto start
if %MAJOR% GEQ 17 goto start
echo iwarp: %JAVA% is Java %VERSION%: a JDK 17 or newer is needed, set JAVA_HOME to one 1>&2
exit /b 2

:start
"%JAVA%" %IWARP_OPTS% -jar "%JAR%" %*
